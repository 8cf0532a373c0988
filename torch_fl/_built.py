"""What this package was built for: read from the extension's file, because another torch could not load it."""

import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

from .torch_lines import line_of


class Built(NamedTuple):
    torch: str  # "2.13.0"
    cxx11_abi: bool  # of std::string


def built_for() -> Built | None:
    """None where there is no extension for this Python."""
    spec = importlib.util.find_spec("torch_fl._C")
    if spec is None or spec.origin is None:
        return None
    content = Path(spec.origin).read_bytes()
    found = re.search(rb"flagos is built for torch (\S+), _GLIBCXX_USE_CXX11_ABI=(\d)", content)
    return Built(found[1].decode(), found[2] == b"1") if found else None


def refuse_another_torch(version: str, cxx11_abi: bool, place: str) -> None:
    """Raises ImportError unless the extension, if there is one, is built for such a torch."""
    built = built_for()
    if built is None:
        return
    wanted = line_of(built.torch)
    if line_of(version) != wanted:
        difference = f"it is built for torch {built.torch}, and this is torch {version}"
    elif cxx11_abi != built.cxx11_abi:
        difference = (
            f"it is built with _GLIBCXX_USE_CXX11_ABI={built.cxx11_abi:d}, and torch {version} with {cxx11_abi:d}"
        )
    else:
        return
    raise ImportError(
        f"torch_fl cannot be used with the torch in {place}: {difference}. Build it for this one, in the checkout: "
        f"rm -r build/torch && make build; or install the torch that it is built for: pip install 'torch=={wanted}.*'"
    )
