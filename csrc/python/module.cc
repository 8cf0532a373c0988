// SPDX-License-Identifier: Apache-2.0
//
// torch_fl._C: what torch.accelerator does not offer. Importing it registers the device with PyTorch and loads no
// vendor.
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

#include "aten/fallback.h"
#include "aten/routes.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/generator.h"
#include "runtime/loader.h"
#include "runtime/stream.h"

#define FLAGOS_TEXT_OF(value) #value
#define FLAGOS_TEXT(macro) FLAGOS_TEXT_OF(macro)

// torch_fl/_built.py finds it in the file, where loading the file would fail for a symbol that another torch has not.
extern "C" FLAGOS_EXPORT const char flagos_built_for[];
const char flagos_built_for[] =
    "flagos is built for torch " TORCH_VERSION ", _GLIBCXX_USE_CXX11_ABI=" FLAGOS_TEXT(_GLIBCXX_USE_CXX11_ABI);

namespace {

py::dict runtime_info() {
  py::dict info;
  const flagos::Runtime* usable = flagos::usable_runtime();
  info["loaded"] = usable != nullptr;
  info["vendor"] = usable != nullptr ? py::cast(usable->vendor) : py::none();
  info["library"] = usable != nullptr ? py::cast(usable->library) : py::none();
  info["chosen"] = usable != nullptr ? py::cast(usable->chosen) : py::none();
  info["skipped"] = usable != nullptr ? usable->skipped : std::vector<std::string>();
  return info;
}

}  // namespace

PYBIND11_MODULE(_C, module) {
  module.def("device_count", &flagos::device_count_or_zero);
  module.def("memory_info", &flagos::memory_info);
  module.def("load_runtime", [] { flagos::runtime(); });
  module.def("runtime_info", &runtime_info);
  module.def("in_bad_fork", &flagos::in_bad_fork);
  module.def("priority_range", &flagos::priority_range);
  module.def("default_generator", [](int device) { return flagos::default_generator(device); });
  module.def("seed_all_devices", &flagos::seed_all_devices);
  module.def(
      "stop_autograd_threads", [] { torch::autograd::Engine::get_default_engine().stop(); },
      py::call_guard<py::gil_scoped_release>());
  module.def("fallback_counts", &flagos::fallback_counts);
  module.def("reset_fallback_counts", &flagos::reset_fallback_counts);
  module.def("route_operators", &flagos::route_operators);
  module.def("route_to_library", &flagos::route_to_library);
  module.def("operators_of_library", &flagos::operators_of_library);
  module.def("unroute_operators", &flagos::unroute_operators);
  module.def("routed_operators", &flagos::routed_operators);
  module.def("routable_operators", &flagos::routable_operators);
}
