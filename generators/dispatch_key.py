"""Which dispatch key a vendor's torch registers its kernels under: the fact that decides how a chip runs operators.

python -m generators.dispatch_key --vendor-torch DIR_OR_WHEEL

It is measured, in a child process that imports the vendor's torch with its plugins and without ours. Where that torch cannot be
imported here, its libraries are read instead: the answer is then provisional, and says so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from generators.elf import ElfError, read_library
from generators.vendor_torch import VendorTorch, VendorTorchError, open_vendor_torch
from torch_fl._preloaded import LIBRARIES as PRELOADED
from torch_fl._preloaded import without_libraries
from torch_fl.preload import ask_loader, installed_torch

SAMPLE = ("mm", "add.Tensor", "_softmax", "bmm", "cat", "native_layer_norm")
OUT_OF_TREE = "PrivateUse1"
FREE = "privateuseone"  # PyTorch's name for the key as long as nobody has taken it
LIMIT = 120.0  # seconds
LIBRARY = r".+\.so[.\d]*"
REGISTERS = re.compile(r"_ZN(?:3c1028register_privateuse1_backend|2at33RegisterPrivateUse1HooksInterface)")

PROBE = """
import json, sys, types
path, package, result = sys.argv[1:4]
sys.path[:] = [path] * bool(path) + [place for place in sys.path if place]
for name in ("torch_fl", "torch_fl._backend"):  # where it is installed as well, it is not what is asked about
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch_fl._backend"]._autoload = lambda: None
import torch
if package != "torch":
    __import__(package)
has = torch._C._dispatch_has_kernel_for_dispatch_key
answer = {
    "torch": torch.__version__,
    "file": torch.__file__,
    "kernels": {key: [op for op in sys.argv[4:] if has("aten::" + op, key)] for key in ("CUDA", "PrivateUse1", "CPU")},
    "out_of_tree": torch._C._get_privateuse1_backend_name(),
    "dump": torch._C._dispatch_dump("aten::mm"),
}
with open(result, "w") as file:
    json.dump(answer, file)
"""


@dataclass(frozen=True)
class Registration:
    """What a vendor's torch has in its dispatcher."""

    torch: str  # the version that was looked at
    kernels: dict[str, tuple[str, ...]]  # dispatch key -> those of SAMPLE that it has kernels for
    out_of_tree: str  # the name under which it has taken PrivateUse1, or ""
    evidence: str  # the dispatcher's dump of aten::mm, or what was read
    provisional: str = ""  # why it was not measured

    def covers(self, key: str) -> bool:
        return set(self.kernels.get(key, ())) == set(SAMPLE)

    @property
    def key(self) -> str:
        """CUDA, PrivateUse1, or "" for neither."""
        if self.covers("CUDA"):
            return "CUDA"
        return OUT_OF_TREE if self.out_of_tree or self.kernels.get(OUT_OF_TREE) else ""

    def __str__(self) -> str:
        counts = ", ".join(f"{key}: {len(found)} of {len(SAMPLE)}" for key, found in self.kernels.items())
        taken = f"; PrivateUse1 is taken by '{self.out_of_tree}'" if self.out_of_tree else ""
        how = f"provisional, read from the libraries: {self.provisional}" if self.provisional else "measured"
        return f"torch {self.torch}, kernels for {counts}{taken} ({how})"


def ask(source: VendorTorch) -> Registration:
    """Measured where it can be, else read. Raises VendorTorchError."""
    if not source.is_wheel:
        found = _measure(source, source.place, _environment())
        return found if isinstance(found, Registration) else _read(source, source.place).registration(source, found)
    with tempfile.TemporaryDirectory(prefix="vendor-torch-") as folder:
        place = Path(folder)
        try:  # reading comes first: it takes less than half of the wheel, and tells whether the rest is worth while
            source.unpack(place, LIBRARY)
            reading = _read(source, place)
            variables = _environment(reading.search(place))
            found = _why_not_here(source, reading, variables)
            if not found:
                source.unpack(place)
                found = _measure(source, place, variables)
        except (OSError, zipfile.BadZipFile) as error:
            raise VendorTorchError(f"{source.place} cannot be unpacked into {place}: {error}") from None
    return found if isinstance(found, Registration) else reading.registration(source, found)


# ---- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """What the libraries say: `at::cuda::mm` is there if the kernels of the CUDA key are, and whoever takes PrivateUse1 calls
    the functions that register it."""

    kernels: dict[str, Path]  # of SAMPLE
    takers: tuple[Path, ...]

    def registration(self, source: VendorTorch, why: str) -> Registration:
        evidence = [f"{file.name} defines at::cuda::{op.partition('.')[0]}" for op, file in self.kernels.items()]
        evidence += [f"{file.name} registers itself for {OUT_OF_TREE}" for file in self.takers]
        out_of_tree = source.package if self.takers else ""
        return Registration(source.version, {"CUDA": tuple(self.kernels)}, out_of_tree, "\n".join(evidence), why)

    @property
    def files(self) -> list[Path]:
        return list(dict.fromkeys((*self.kernels.values(), *self.takers)))

    def search(self, place: Path) -> list[str]:
        """Where its libraries, unpacked in `place`, would find what they need if they were installed here."""
        origins = {file: Path(sysconfig.get_path("purelib"), file.relative_to(place)).parent for file in self.files}
        folders = [folder for file, origin in origins.items() for folder in read_library(file).folders(str(origin))]
        return list(
            dict.fromkeys([*(str(file.parent) for file in self.files), str(installed_torch()[0] / "lib"), *folders])
        )


def _read(source: VendorTorch, place: Path) -> Reading:
    own = {file.name for file in (installed_torch()[0] / "lib").glob("*.so*")}
    kernels: dict[str, Path] = {}
    takers = []
    for member in source.members(LIBRARY).values():
        file = place / member.name
        if member.file in own or not file.is_file():
            continue
        with contextlib.suppress(ElfError):
            found = read_library(file)
            kernels |= {op: file for op in SAMPLE if any(name.startswith(_mangled(op)) for name in found.defined)}
            takers += [file] if any(REGISTERS.match(name) for name in found.undefined) else []
    return Reading({op: kernels[op] for op in SAMPLE if op in kernels}, tuple(takers))


def _mangled(operator: str) -> str:
    name = operator.partition(".")[0]
    return f"_ZN2at4cuda{len(name)}{name}E"


# ---- measuring -----------------------------------------------------------------------------------


def _why_not_here(source: VendorTorch, reading: Reading, variables: dict[str, str]) -> str:
    tag = re.search(r"-cp(\d)(\d+)-", source.place.name)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if tag and f"{tag[1]}.{tag[2]}" != here:
        return f"it is for Python {tag[1]}.{tag[2]}, this is {here}"
    missing, _ = ask_loader(reading.files, variables)
    return f"it needs {', '.join(missing)}, not on this machine" if missing else ""


def _measure(source: VendorTorch, place: Path, variables: dict[str, str]) -> Registration | str:
    """The registration, or why there is none."""
    python, path = (str(source.python), "") if source.python else (sys.executable, str(place))
    with tempfile.TemporaryDirectory(prefix="dispatch-key-") as folder:
        result = Path(folder) / "answer.json"
        try:
            child = subprocess.run(
                [python, "-c", PROBE, path, source.package, str(result), *SAMPLE],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            return f"importing it did not end within {LIMIT:g} s"
        if child.returncode != 0 or not result.is_file():
            return f"it cannot be imported here: {_first_error(child)}"
        answer = json.loads(result.read_text())
    if source.package == "torch" and not Path(answer["file"]).resolve().is_relative_to(place.resolve()):
        return f"it cannot be imported here: Python takes {answer['file']} instead"
    name = answer["out_of_tree"]
    kernels = {key: tuple(found) for key, found in answer["kernels"].items()}
    return Registration(answer["torch"], kernels, "" if name == FREE else name, answer["dump"])


def _first_error(child: subprocess.CompletedProcess[str]) -> str:
    """What began it: of a chain of exceptions the first."""
    errors = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception)\b.*", child.stderr, re.MULTILINE)
    last = [line.strip() for line in child.stderr.splitlines() if line.strip()][-1:]
    signal = f"killed by signal {-child.returncode}" if child.returncode < 0 else f"exit status {child.returncode}"
    return next(iter(errors + last), signal)


def _environment(search: Iterable[str] = ()) -> dict[str, str]:
    """The caller's, with the vendor's autoload on, and without this package and its libraries."""
    plain = without_libraries(dict(os.environ)) if PRELOADED in os.environ else dict(os.environ)
    kept = {name: value for name, value in plain.items() if not name.startswith("FLAGOS_")}
    places = [place for place in kept.pop("PYTHONPATH", "").split(os.pathsep) if place]
    paths = {
        "PYTHONPATH": [place for place in places if not (Path(place) / "torch_fl").is_dir()],
        "LD_LIBRARY_PATH": [*search, *filter(None, [kept.pop("LD_LIBRARY_PATH", "")])],
    }
    return kept | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "1"} | {k: os.pathsep.join(v) for k, v in paths.items() if v}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m generators.dispatch_key", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vendor-torch", required=True, type=Path, metavar="DIR_OR_WHEEL")
    given = parser.parse_args(arguments)
    try:
        found = ask(open_vendor_torch(given.vendor_torch))
    except VendorTorchError as error:
        print(f"generators.dispatch_key: {error}", file=sys.stderr)
        return 1
    print(f"{found.key or 'neither CUDA nor PrivateUse1'}: {found}\n{found.evidence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
