"""`torch.flagos`: the module of the device, with the names that `torch.cuda` has made customary.

A `device` argument is an index, a string, a `torch.device`, or None for the current device. Whatever `torch.accelerator`
offers is that function. What `torch.cuda` has and this has not, and why, is in docs/reference/pytorch-integration.md.
"""

import sys
from typing import Any

from .. import _backend

_backend.activate()  # first, so that `import torch_fl.flagos` alone is enough

from .. import _C, __version__  # type: ignore[attr-defined]  # noqa: E402
from .._built import built_for  # noqa: E402
from . import devices, memory, random, routing, streams  # noqa: E402
from .devices import (  # noqa: E402
    current_device,
    device,
    device_count,
    device_of,
    get_amp_supported_dtype,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    runtime_info,
    set_device,
    synchronize,
)
from .memory import (  # noqa: E402
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from .random import (  # noqa: E402
    default_generators,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import Event, Stream, current_stream, default_stream, set_stream, stream  # noqa: E402

__all__ = [
    "Event",
    "Stream",
    "build_info",
    "current_device",
    "current_stream",
    "default_generators",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "fallback_counts",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "random",
    "reset_accumulated_memory_stats",
    "reset_fallback_counts",
    "reset_peak_memory_stats",
    "routes",
    "runtime_info",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "skipped_routes",
    "stream",
    "streams",
    "synchronize",
]

for _module in (devices, memory, random, streams):  # `import torch.flagos.memory` is this one, not a second copy
    sys.modules[_module.__name__.replace("torch_fl", "torch", 1)] = _module

_lazy_init, _is_in_bad_fork = devices._lazy_init, devices._is_in_bad_fork  # PyTorch looks for them


def __getattr__(name: str) -> Any:
    if name == "_initialized":  # torch.utils.checkpoint keeps the states of generators only if this is true
        return is_initialized()
    raise AttributeError(f"module 'torch.flagos' has no attribute {name!r}")


def build_info() -> dict[str, Any]:
    """What is in use: `version` of torch_fl, the `torch` and `cxx11_abi` that it is built for, and the `vendor`, why it was
    `chosen`, and its `library`. Loads the runtime."""
    init()
    info = runtime_info()
    built = built_for()
    return {
        "version": __version__,
        **(built._asdict() if built else {}),
        **{name: info[name] for name in ("vendor", "chosen", "library")},
    }


def fallback_counts() -> dict[str, int]:
    """How often each operator without a flagos kernel ran on the CPU, since the last reset."""
    return _C.fallback_counts()


def reset_fallback_counts() -> None:
    _C.reset_fallback_counts()


def routes() -> dict[str, str]:
    """Which operators run kernels of the device, and by which route: {"add.Tensor": "cuda"}. All others are decomposed by
    PyTorch or run on the CPU. Loads the runtime, as `init` does."""
    init()
    return dict(routing.apply().routes)


def skipped_routes() -> dict[str, str]:
    """The operators that the conf routes and that this torch has not, with the torch lines that have them. Loads the
    runtime."""
    init()
    return dict(routing.apply().skipped)
