"""A chip that nobody tuned anything for, brought up as its vendor would do it: recon, review, generation and gates, in a
checkout of its own. The SDK is made up here, of the CUDA shape, with a random prefix and permuted arguments, and works."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generators.declaration import parse_declaration
from generators.files import ROOT
from generators.map import FILE, load_map
from tests.sdks.acme import build_working_library
from tests.unit.sdks import has_compiler, make_acme
from tests.unit.test_recon import snapshot
from tests.unit.test_runtime_generator import git

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
# Every gate that needs no torch: the whole behaviour of the 28 functions and the 10 virtuals, but for the one gate
# that measures durations, which wants an idle machine.
GATES = [f"gates/runtime/test_{name}.py" for name in ("contract", "map", "devices", "memory", "streams", "events")]
MEASURES = "gates/runtime/test_events.py::test_elapsed_time_is_device_time_in_milliseconds"


@pytest.fixture
def seed(record_property):
    """A new one each time; FLAGOS_TEST_SEED repeats one."""
    value = int(os.environ.get("FLAGOS_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("seed", value)
    print(f"FLAGOS_TEST_SEED={value}")  # pytest shows it if the test fails
    return value


@pytest.fixture
def checkout(tmp_path) -> Path:
    """The working tree as a clone of its own, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    folder = tmp_path / "checkout"
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "-q")
    commit(folder, "the tree")
    return folder


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", message)


def changed(folder: Path) -> set[str]:
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return {line[3:] for line in output.splitlines()}


def run(folder: Path, *command: object) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "FLAGOS_"))}
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )


def test_made_up_vendor_comes_up_from_recon_to_gates(tmp_path, checkout, seed):
    acme = make_acme(tmp_path / "sdk", seed, guarded=False)  # plain C, in which C++ would look for other functions
    build_working_library(acme)
    before = snapshot(acme.root)
    maps = checkout / "docs/vendors/acme"
    sdk = ("--vendor", "acme", "--sdk-path", acme.root)

    proposed = run(checkout, "pytest", "gates/runtime", *sdk, "--recon")
    assert proposed.returncode == 0, proposed.stderr
    assert changed(checkout) == {f"docs/vendors/acme/{FILE}", "docs/vendors/acme/runtime-api-map.md"}
    found = load_map(maps / FILE)
    right = [
        name
        for name, slot in found.slots.items()
        if slot.forward
        or (
            slot.call.declaration.name == acme.symbols[name]
            and list(map(str, slot.call.arguments)) == acme.arguments[name]
        )
    ]
    print(f"recon: {len(right)} of 28 right, arguments included")
    assert len(right) >= 24
    assert found.sdk.version == "3.1" and found.sdk.extern_c

    early = run(checkout, "generators.runtime", "--vendor", "acme")
    assert early.returncode == 1 and "git does not track it" in early.stderr
    review(maps / FILE, acme, right)
    assert run(checkout, "generators.reports", "--write").returncode == 0
    commit(checkout, "the map of acme, reviewed")

    generated = run(checkout, "generators.runtime", "--vendor", "acme")
    assert generated.returncode == 0, generated.stderr
    assert changed(checkout) == {
        *(f"csrc/runtime/accelerator/acme/{name}" for name in ("device.cc", "memory.cc", "stream.cc", "sdk.h")),
        "csrc/runtime/allocator/backends/acme_memory.h",
        "torch_fl/configs/backends_acme.conf",
    }
    commit(checkout, "the runtime of acme")

    gates = run(checkout, "pytest", *GATES, *sdk, "-q", "-p", "no:cacheprovider", "--deselect", MEASURES)
    print(gates.stdout)
    assert gates.returncode == 0
    verdict = next(line for line in gates.stdout.splitlines() if line.startswith("VERDICT"))
    assert verdict.startswith("VERDICT  acme: PASS ") and verdict.endswith("simulated SDK: no evidence for hardware")
    assert "GAP" not in verdict and "NOT RUN" not in verdict
    assert changed(checkout) == set()
    assert snapshot(acme.root) == before


POOL = """\
  device_malloc:
    call: {malloc}
    args: [{malloc_args}]
    source: {{kind: sdk, where: here, confirmed: true}}
  device_free:
    call: {free}
    args: [{free_args}]
    before: [drain_device]
    source: {{kind: sdk, where: here, confirmed: true}}
"""


def with_pool(text: str, acme) -> str:
    """The map as if a person had found that the SDK's pool is an allocator that caches."""
    header = (acme.root / "include" / acme.header).read_text()
    given = {"devPtr": "ptr", "size": "size", "stream": "{state: default_stream}"}
    words = {}
    for key, name in (("malloc", "MallocAsync"), ("free", "FreeAsync")):
        line = next(line for line in header.splitlines() if f" {acme.prefix}{name}(" in line)
        words[key] = str(declaration := parse_declaration(line))
        words[f"{key}_args"] = ", ".join(given[p.name] for p in declaration.parameters)
    found = re.search(r"(?m)^  value: false\n  reason: .*\n", text)
    return text.replace(found[0], "  value: true\n  reason: its pool keeps what is freed\n") + POOL.format(**words)


@pytest.mark.parametrize("caches", [True, False], ids=["it caches", "it does not"])
def test_allocator_of_the_vendor_s_own(tmp_path, checkout, seed, caches):
    """provides_caching: true hands each request to the SDK's pool; the same claim of functions that cache nothing is a lie, and
    is found."""
    acme = make_acme(tmp_path / "sdk", seed, guarded=False)
    build_working_library(acme, caches)
    path = checkout / "docs/vendors/acme" / FILE
    assert run(checkout, "generators.recon", "--vendor", "acme", "--sdk-path", acme.root).returncode == 0
    path.write_text(with_pool(path.read_text().replace("confirmed: false", "confirmed: true"), acme))
    assert run(checkout, "generators.reports", "--write").returncode == 0
    commit(checkout, "the map of acme, with its pool")
    generated = run(checkout, "generators.runtime", "--vendor", "acme")
    assert generated.returncode == 0, generated.stderr
    for file in [ROOT / "torch_fl/lib/libtorch_fl.so", *ROOT.glob("torch_fl/_C.*.so")]:
        (checkout / file.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        shutil.copy2(file, checkout / file.relative_to(ROOT))  # the torch side is the same for every vendor
    names = ("map", "memory", "allocator") if caches else ("allocator",)
    files = [f"gates/runtime/test_{name}.py" for name in names]
    gates = run(checkout, "pytest", *files, "--vendor", "acme", "--sdk-path", acme.root, "-q", "-p", "no:cacheprovider")
    print(gates.stdout)
    failed = set(re.findall(r"^FAIL +(\S+)", gates.stdout, re.MULTILINE))
    assert failed == (set() if caches else {"runtime.allocator.caching_claim"})
    gaps = set(re.findall(r"^GAP +(\S+)", gates.stdout, re.MULTILINE))
    lost = ("reuse", "stream_pools", "statistics", "empty_cache", "retry", "free_elsewhere", "memory_info_device")
    assert gaps == {f"runtime.allocator.{name}" for name in lost}
    assert "unsupported: its pool keeps what is freed; the vendor's allocator caches, not ours" in gates.stdout


def review(path: Path, acme, right: list[str]) -> None:
    """What a person does: put right what recon did not see, and confirm."""
    wrong = [name for name in load_map(path).slots if name not in right]
    text = path.read_text()
    for name in wrong:
        entry = text.partition(f"  {name}:\n")[2].partition("    source:")[0]
        head = "".join(line + "\n" for line in entry.splitlines() if line.startswith("    call:"))
        assert acme.symbols[name] in head, f"{name}: recon is off by more than the order of arguments\n{entry}"
        text = text.replace(entry, f"{head}    args: [{', '.join(acme.arguments[name])}]\n", 1)
    path.write_text(text.replace("confirmed: false", "confirmed: true"))
