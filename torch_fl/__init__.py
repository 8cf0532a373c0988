"""One PyTorch device, `flagos`, over many AI chips.

Importing this package is cheap and imports no torch by itself, so that what prepares a process for torch can run first.
The device is there as soon as both this package and torch are in use, whichever came first: `import torch` finds it
through its `torch.backends` entry point, and the first use of an attribute here, such as `torch_fl.synchronize()`, brings
torch in. Attributes are those of `torch.flagos`.
"""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

__version__ = "0.1.0"


def library_dir() -> Path:
    """The folder of libtorch_fl.so and the vendors' runtime libraries, libflagos_<vendor>.so."""
    return Path(__file__).resolve().parent / "lib"


def __getattr__(name: str) -> Any:
    # Python asks for an attribute before it imports a submodule, and tools probe for names with underscores: neither may
    # bring torch in.
    is_submodule = name != "flagos" and importlib.util.find_spec(f"{__name__}.{name}") is not None
    if name.startswith("_") or is_submodule:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _backend

    module = _backend.activate()
    return module if name == "flagos" else getattr(module, name)


if "FLAGOS_PRELOAD" in os.environ:  # `python -m torch_fl.preload` started this process, or one above it
    from . import _preloaded

    _preloaded.release()

if "torch" in sys.modules:
    from . import _backend

    _backend._autoload()
