"""The libraries are in the process before torch: everything up to the first launch of a kernel, and that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gates.cuda_compat.conftest import Programs, run_process, wrapped
from gates.dispatch_log import what_ran
from gates.status import check
from torch_fl._preloaded import KNOWN_OPERATORS
from torch_fl.conf import route_of
from torch_fl.preload import PROVENANCE, Bundle, ask_loader, environment, installed_torch

KERNELS = (
    "import json, torch, torch_fl\n"
    f"names = {KNOWN_OPERATORS}\n"
    "key = {key!r}\n"
    "print(json.dumps([all(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for name in names),"
    " len(torch._C._dispatch_get_registrations_for_dispatch_key(key)), torch.__version__]))\n"
)


def _answer(child: subprocess.CompletedProcess[str]) -> Any:
    check(
        child.returncode == 0, f"the program ended with status {child.returncode}", found=child.stderr.strip()[-2000:]
    )
    return json.loads(child.stdout)


@pytest.mark.gate("cuda_compat.preload.binds", requires=("external_kernels",))
def test_loader_binds_everything(complete: Bundle):
    """Exit criterion: the loader itself finds every library and every symbol, asked with everything bound at once and without
    running anything."""
    missing, complaints = ask_loader(complete.libraries(), environment(complete))
    check(not missing and not complaints, "the loader complains", found="; ".join([*missing, *complaints[:5]]))


@pytest.mark.gate("cuda_compat.preload.on_demand", requires=("external_kernels",))
def test_what_torch_opens_by_name_is_found(complete: Bundle, preloaded: Programs):
    """Exit criterion: "two of them appear in no dependency list": what torch opens by name is not loaded before it is wanted, for
    it opens the device, and is found then, although torch_fl has taken the folders out of LD_LIBRARY_PATH."""
    program = (
        "import ctypes, json, torch, torch_fl\n"
        "mapped = lambda name: name in open('/proc/self/maps').read()\n"
        f"files = {[str(complete.folder / name) for name in complete.on_demand]}\n"
        "before = [file for file in files if mapped(file)]\n"
        "for file in files:\n"
        "    ctypes.CDLL(file.rpartition('/')[2])\n"
        "print(json.dumps([before, [file for file in files if not mapped(file)]]))\n"
    )
    before, missing = _answer(preloaded.run(program))
    check(not before, "loaded before anything asked for it", found=before)
    check(not missing, "torch would not find it", expected=f"in {complete.folder}", found=missing)


@pytest.mark.gate("cuda_compat.preload.kernels", requires=("external_kernels",))
def test_kernels_are_registered_with_the_wrapper_alone(vendor, preloaded: Programs, measured: dict[str, Any]):
    """Exit criterion: through the wrapper the CPU torch has the vendor's kernels for known operators, and its version is still
    +cpu; without the wrapper it has none of them."""
    program = KERNELS.format(key=vendor.dispatch_key)
    there, count, version = _answer(preloaded.run(program))
    without, fewer, _ = _answer(run_process([sys.executable, "-c", program]))
    measured.update({"operators": count, "without": fewer})
    check(there, f"no kernels for {vendor.dispatch_key} through the wrapper", found=f"{count} operators")
    check(not without, "the kernels are there without the wrapper: then it proves nothing", found=f"{fewer} operators")
    check(count > 1000, "most operators have a kernel", found=count)
    check(version == installed_torch()[1], "another torch runs through the wrapper", found=version)


@pytest.mark.gate("cuda_compat.preload.refuses", requires=("external_kernels",))
@pytest.mark.parametrize("fault", ["missing", "truncated", "no library", "other machine", "no provenance"])
def test_wrapper_refuses_a_faulty_bundle(fault: str, complete: Bundle, tmp_path: Path):
    """Exit criterion: a library that is missing, cut short, no library or for another machine ends the wrapper with its name
    before the program starts; the loader would warn and run the program without it."""
    name = complete.preload[0]
    for file in (*complete.sizes, PROVENANCE):
        os.symlink(complete.folder / file, tmp_path / file)
    (tmp_path / name).unlink()
    whole = (complete.folder / name).read_bytes()
    if fault == "truncated":
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    elif fault == "no library":
        (tmp_path / name).write_bytes(b"version https://git-lfs.github.com/spec/v1\n" + b"\n" * (len(whole) - 43))
    elif fault == "other machine":
        (tmp_path / name).write_bytes(whole[:18] + b"\xf7\x00" + whole[20:])  # EM_BPF
    elif fault == "no provenance":
        (tmp_path / PROVENANCE).unlink()
        name = PROVENANCE
    child = wrapped(tmp_path, [sys.executable, "-c", "print('ran')"])
    check(
        child.returncode == 1
        and child.stdout == ""
        and str(tmp_path / name) in child.stderr
        and "ignored" not in child.stderr,
        f"a bundle with a fault ({fault}) is not refused",
        expected=f"exit status 1 and {name} in the message",
        found=f"status {child.returncode}: {child.stdout}{child.stderr.strip()}",
    )


@pytest.mark.gate("cuda_compat.preload.environment", requires=("external_kernels",))
def test_libraries_stay_out_of_other_children(preloaded: Programs):
    """Exit criterion: importing torch_fl takes the libraries out of LD_PRELOAD and their folders out of LD_LIBRARY_PATH, and
    leaves what the user has there: another child would load half a gigabyte."""
    program = (
        "import json, os, subprocess, torch_fl\n"
        "maps = subprocess.run(['cat', '/proc/self/maps'], capture_output=True, text=True).stdout\n"
        "names = ('LD_PRELOAD', 'LD_LIBRARY_PATH')\n"
        "print(json.dumps([[os.environ.get(name) for name in names], 'libtorch' in maps,"
        " 'libtorch' in open('/proc/self/maps').read()]))\n"
    )
    theirs = os.environ.get("LD_LIBRARY_PATH", "")
    (preload, folders), in_child, in_parent = _answer(
        preloaded.run(program, LD_LIBRARY_PATH=f"{theirs}:/users" if theirs else "/users")
    )
    check(in_parent, "the process itself does not have the libraries")
    check(not in_child, "a child that is not Python has the libraries")
    check(preload is None, "LD_PRELOAD is left", found=preload)
    check(folders == (f"{theirs}:/users" if theirs else "/users"), "LD_LIBRARY_PATH is not the user's", found=folders)


WORKERS = """
import json, multiprocessing, os, sys
import torch
from torch.utils.data import DataLoader, Dataset

class Kernels(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        import torch_fl
        with open("/proc/self/maps") as maps:
            mapped = "libtorch_cuda.so" in maps.read()
        return [mapped, all(torch._C._dispatch_has_kernel_for_dispatch_key(name, {key!r}) for name in {names!r}), os.getpid()]

if __name__ == "__main__":
    import torch_fl
    loader = DataLoader(Kernels(), num_workers=2, batch_size=None, multiprocessing_context=sys.argv[1])
    print(json.dumps([list(loader), os.getpid()]))
"""


@pytest.mark.gate("cuda_compat.preload.workers", requires=("external_kernels",))
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_have_the_kernels(method: str, vendor, complete: Bundle, tmp_path: Path):
    """Exit criterion: DataLoader workers have the libraries whichever way they are started, and torchrun is told the same
    interpreter."""
    script = tmp_path / "loader.py"
    script.write_text(WORKERS.replace("{key!r}", repr(vendor.dispatch_key)).replace("{names!r}", repr(KNOWN_OPERATORS)))
    workers, parent = _answer(wrapped(complete.folder, [sys.executable, str(script), method]))
    check(
        len(workers) == 2 and all(pid != parent for *_, pid in workers), "the workers are no processes", found=workers
    )
    check(all(mapped and kernels for mapped, kernels, _ in workers), "a worker has no kernels", found=workers)


@pytest.mark.gate("cuda_compat.preload.late", requires=("external_kernels",))
def test_late_libraries_are_told(complete: Bundle):
    """Exit criterion: "loading it after: kernels register fine but device init throws": where the libraries were loaded after
    torch, torch_fl says so at once, and names the wrapper."""
    program = (
        "import ctypes, torch, warnings\n"
        f"ctypes.CDLL({str(complete.folder / complete.preload[1])!r}, ctypes.RTLD_GLOBAL)\n"
        "warnings.simplefilter('ignore')\n"
        "import torch_fl\n"
        "try:\n"
        "    torch_fl.init()\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    folders = environment(complete)["LD_LIBRARY_PATH"]
    child = run_process([sys.executable, "-c", program], LD_LIBRARY_PATH=folders, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    check(
        child.returncode == 0 and "loaded after torch" in child.stdout and "python -m torch_fl.preload" in child.stdout,
        "libraries that came too late are not told",
        expected="ImportError: ... were loaded after torch ...",
        found=f"status {child.returncode}: {child.stdout}{child.stderr.strip()[-1500:]}",
    )


SMOKE = """
import torch, torch_fl
a, b = torch.randn(4, 4), torch.randn(4, 4)
x, y = a.to("flagos"), b.to("flagos")
torch.testing.assert_close((x + y).cpu(), a + b)
torch.testing.assert_close(torch.cat([x, y]).cpu(), torch.cat([a, b]))
host = [torch.randn(3) for _ in range(2)]
lists = [t.to("flagos") for t in host]
torch._foreach_add_(lists, [torch.ones(3, device="flagos")] * 2)
for mine, theirs in zip(lists, host):
    torch.testing.assert_close(mine.cpu(), theirs + 1)
"""


@pytest.mark.gate("cuda_compat.preload.smoke")
def test_first_kernels_run(vendor, runtime, torch_side, programs: Programs, tmp_path: Path):
    """Exit criterion: "smoke test THROUGH the wrapper": `add`, `cat` and `_foreach_add_` give the CPU's values, and the trace says
    that each ran on the key."""
    conf = tmp_path / "smoke.conf"
    conf.write_text(
        "".join(f"{name} = {route_of(vendor.dispatch_key)}\n" for name in ("add.Tensor", "cat", "_foreach_add_.List"))
    )
    variables = {"FLAGOS_BACKEND_CONFIG": str(conf), "FLAGOS_LOG_DISPATCH": "1", "FLAGOS_ACCELERATOR": vendor.name}
    variables["FLAGOS_RUNTIME_LIBRARY"] = str(runtime.library)
    child = programs.run(SMOKE, **variables)
    check(child.returncode == 0, "the smoke test fails", found=child.stderr.strip()[-2000:])
    ran = dict(what_ran(child.stderr))
    for name in ("add.Tensor", "cat", "_foreach_add_.List"):
        check(
            ran.get(name) == vendor.dispatch_key,
            f"{name} did not run on the key",
            expected=vendor.dispatch_key,
            found=ran,
        )
