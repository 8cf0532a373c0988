"""In a process that `python -m torch_fl.preload` started, or in one below it: who gets the libraries, and whether they came."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import ModuleType

# The wrapper tells the processes below it what it put in front of LD_PRELOAD and of LD_LIBRARY_PATH (torch's folder first).
LIBRARIES = "FLAGOS_PRELOAD"
FOLDERS = "FLAGOS_PRELOAD_PATH"
INTERPRETER = "FLAGOS_PRELOAD_PYTHON"  # for WORKER
WORKER = Path(__file__).resolve().with_name("preload_worker.sh")  # a Python that starts with the libraries

KNOWN_OPERATORS = ("aten::mm", "aten::add.Tensor", "aten::_softmax", "aten::bmm")
AGAIN = "start the program through `python -m torch_fl.preload COMMAND ...`"

_preloaded = False  # this process began with the libraries


class PreloadError(ImportError):
    """The libraries cannot be, or were not, loaded before torch; the text says why and what to do."""


def with_libraries(variables: dict[str, str]) -> dict[str, str]:
    """An environment whose processes begin with the libraries."""
    plain = without_libraries(variables)
    ours = {"LD_PRELOAD": plain[LIBRARIES], "LD_LIBRARY_PATH": plain[FOLDERS]}
    return plain | {name: ":".join(filter(None, (value, plain.get(name)))) for name, value in ours.items()}


def without_libraries(variables: dict[str, str]) -> dict[str, str]:
    """What stands in front of LD_PRELOAD and LD_LIBRARY_PATH is the wrapper's; the rest is the user's and stays."""
    plain = dict(variables)
    for name, ours in (("LD_PRELOAD", LIBRARIES), ("LD_LIBRARY_PATH", FOLDERS)):
        value = plain.get(name, "")
        if value == plain[ours]:
            del plain[name]
        elif value.startswith(plain[ours] + ":"):
            plain[name] = value.removeprefix(plain[ours] + ":")
    return plain


def release() -> None:
    """Take the libraries out of the environment: they are for Python workers, which multiprocessing and torchrun start, and
    any other child would load half a gigabyte."""
    global _preloaded
    import multiprocessing

    plain = without_libraries(dict(os.environ))
    _preloaded = plain.get("LD_PRELOAD") != os.environ.get("LD_PRELOAD")
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        os.environ.pop(name, None)
        os.environ.update({name: plain[name]} if name in plain else {})
    os.environ[INTERPRETER] = sys.executable
    os.environ.setdefault("PYTHON_EXEC", str(WORKER))  # torchrun's word for the Python of its workers
    multiprocessing.set_executable(str(WORKER))


def verify(torch: ModuleType) -> None:
    """What the wrapper promised holds, now that torch is there. Raises PreloadError."""
    there = all(torch._C._dispatch_has_kernel_for_dispatch_key(name, "CUDA") for name in KNOWN_OPERATORS)
    if _preloaded:
        wanted, libraries = os.environ[FOLDERS].partition(":")[0], Path(torch.__file__ or "").parent / "lib"
        if not os.path.samefile(libraries, wanted):
            raise PreloadError(
                f"the preloaded libraries were checked against the torch of {wanted}, not of {libraries}"
            )
        if not there:
            raise PreloadError(f"{os.environ[LIBRARIES]} were preloaded and torch has no CUDA kernels of them; {AGAIN}")
    elif LIBRARIES in os.environ and not there:
        warnings.warn(f"no CUDA kernels: this process began without the preloaded libraries; {AGAIN}", stacklevel=2)
    elif there and torch.version.cuda is None and _came_late(torch):
        raise PreloadError(
            f"the CUDA libraries were loaded after torch, so their kernels cannot reach a device; {AGAIN}"
        )


def must_work() -> bool:
    """Whether this process was started for the libraries: without them there is nothing to go on with."""
    return _preloaded


def _came_late(torch: ModuleType) -> bool:
    """Whether torch has settled for doing without CUDA: it decides once, while it is imported."""
    try:
        torch.Generator("cuda")
    except RuntimeError as error:
        return "without ATen_cuda library" in str(error)
    return False
