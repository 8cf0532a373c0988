// SPDX-License-Identifier: Apache-2.0
#include "runtime/error.h"

#include <c10/util/Exception.h>

namespace flagos {

const char* error_name(Error_t code) noexcept {
  switch (code) {
    case Success:
      return "Success";
    case ErrorUnknown:
      return "ErrorUnknown";
    case ErrorNotReady:
      return "ErrorNotReady";
    case ErrorInvalidDevice:
      return "ErrorInvalidDevice";
    case ErrorMemoryAllocation:
      return "ErrorMemoryAllocation";
  }
  return "unknown code";
}

void raise(Error_t code, const char* function) {
  const Runtime& vendor = runtime();
  const std::string text =
      c10::str("flagos: ", function, " failed with ", error_name(code), " (", static_cast<int>(code),
               ") in the runtime of vendor '", vendor.vendor, "': ", vendor.GetLastErrorText());
  TORCH_CHECK_WITH(OutOfMemoryError, code != ErrorMemoryAllocation, text);
  TORCH_CHECK(false, text);
}

}  // namespace flagos
