"""How long an engineer waits: from an edited vendor file to a library, and to a verdict."""

from __future__ import annotations

import subprocess
import sys

VENDOR_FILE = "csrc/runtime/accelerator/host/memory.cc"


def edit(checkout, turn=[0]):  # noqa: B006 (counts the edits of the session)
    turn[0] += 1
    with (checkout / VENDOR_FILE).open("a") as file:
        file.write(f"// edit {turn[0]}\n")


def run(checkout, *command):
    child = subprocess.run([sys.executable, "-m", *command], cwd=checkout, capture_output=True, text=True)
    assert child.returncode == 0, child.stdout[-2000:] + child.stderr[-2000:]


def test_rebuild_of_a_vendor_after_an_edit(benchmark, checkout, yardstick, ratio):
    run(checkout, "generators.build")
    benchmark.pedantic(run, setup=lambda: edit(checkout), args=(checkout, "generators.build"), rounds=3)
    ratio("vendor rebuild / one g++ compilation", benchmark.stats.stats.median, yardstick)


def test_verdict_after_an_edit(benchmark, checkout, yardstick, ratio):
    gates = ("pytest", "gates/runtime", "-q", "-p", "no:cacheprovider")
    benchmark.pedantic(run, setup=lambda: edit(checkout), args=(checkout, *gates), rounds=1)
    ratio("edited file to verdict / one g++ compilation", benchmark.stats.stats.median, yardstick)
