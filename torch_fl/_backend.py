"""Makes `flagos` a device of PyTorch. Nothing outside `torch.flagos` is changed beyond PyTorch's own registration calls."""

import atexit
import contextlib
import importlib
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from . import _preloaded
from ._built import refuse_another_torch
from .torch_lines import line_of, torch_lines

_active = False
_activating = False


def _autoload() -> None:
    """The `torch.backends` entry point. A device that does not work must not take `import torch` down with it."""
    try:
        activate()
    except Exception as error:
        if _preloaded.must_work():
            raise
        warnings.warn(f"the flagos device is not available: {error}", RuntimeWarning, stacklevel=2)


def activate() -> ModuleType:
    """Register the device, once, and return `torch.flagos`.

    May be entered again while it runs: `import torch` calls the entry point, and `torch_fl.flagos` calls this. The call
    that came first does the work.
    """
    global _active, _activating
    if not (_active or _activating):
        _activating = True
        try:
            _register()
            _active = True
        finally:
            _activating = False
    return importlib.import_module("torch_fl.flagos")


def _register() -> None:
    import torch

    _preloaded.verify(torch)
    registered = torch._C._get_privateuse1_backend_name()
    if registered != "privateuseone":
        raise ImportError(
            f"PyTorch has room for one out-of-tree device, and {registered!r} is already registered. Uninstall one of the "
            "two packages, or set TORCH_DEVICE_BACKEND_AUTOLOAD=0 and import the one you want"
        )
    refuse_another_torch(torch.__version__, torch.compiled_with_cxx11_abi(), str(Path(torch.__file__).parent))
    try:
        from ._C import stop_autograd_threads  # registers kernels, allocator, guard and hooks; loads no vendor
    except ImportError as error:
        raise ImportError(
            f"torch_fl is not built for this Python and this torch ({torch.__version__}): {error}. Run `make build` in the "
            "checkout"
        ) from error
    names = torch_lines().names
    if line_of(torch.__version__) not in names:
        warnings.warn(
            f"torch {torch.__version__} is none of the lines that torch_fl was ported to, {names[0]} to {names[-1]}; prove it "
            "first, in the checkout: pytest -m version_port",
            RuntimeWarning,
            stacklevel=2,
        )
    flagos = importlib.import_module("torch_fl.flagos")
    torch.utils.rename_privateuse1_backend("flagos")
    torch._register_device_module("flagos", flagos)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    atexit.register(_end_autograd_threads, stop_autograd_threads)


def _end_autograd_threads(stop: Callable[[], None]) -> None:
    """The engine's threads of a device may still drop Python objects when backward() has returned, and one that asks for
    Python's lock while Python ends aborts the process (pytorch#38228). `stop` waits until they have told that they end, before
    which comes one more such question: so wait until they are gone."""
    stop()
    deadline = time.monotonic() + 1
    while _autograd_threads() and time.monotonic() < deadline:
        time.sleep(0.001)


def _autograd_threads() -> list[str]:
    """The engine's threads, by the name that it gives them; none where threads are not files."""
    names = []
    for task in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # of one that ended meanwhile
            names.append(task.read_text().strip())
    return [name for name in names if name.startswith("pt_autograd")]
