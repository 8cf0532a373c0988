"""The mutants: those of the interposing library, whose table is in C++, libraries that are wrong in themselves, and
sources that are wrong."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from generators.build import BUILD
from generators.contract import read_contract
from generators.files import ROOT
from tests.mutation.source import SOURCE_MUTANTS

LIBRARIES = BUILD / "mutation/cmake"
REFERENCE = ROOT / "docs/reference/mutants.md"  # of the last whole run with --record

# Library mutants: name -> (what is wrong, file).
LIBRARY_MUTANTS = {
    "library.stray_export": ("the library exports a function beside the contract", "libflagos_mutations.so"),
    "library.missing_export": ("the library does not export EventQuery", "libflagos_incomplete.so"),
    "library.unresolved_symbol": ("the library needs a function that its SDK lacks", "libflagos_unresolved.so"),
    "library.links_torch": ("the library links torch", "libflagos_with_torch.so"),
}

# What no gate can notice, with the reason. A mutant here that is killed fails its test: then its line goes.
EQUIVALENT: dict[str, str] = {}

# For every push: some of each area, the worst lies first.
SAMPLE = {
    "allocator.event_query_not_ready_is_unknown",
    "allocator.memory_info_frozen",
    "copy.asynchronous",
    "copy.interior_to_start",
    "copy.odd_size_one_short",
    "copy_async.pageable_not_staged",
    "copy_async.starts_early",
    "device.new_thread_inherits",
    "device.synchronize_default_stream_only",
    "error.not_ready_is_success",
    "error.out_of_memory_is_unknown",
    "event.elapsed_microseconds",
    "event.record_misses_last_work",
    "event.second_record_ignored",
    "library.missing_export",
    "memory.free_does_not_wait",
    "memory.overcommit",
    "memory.aligned_to_128",
    "pointer.freed_still_known",
    "set.seven_bits",
    "source.function_moved",
    "source.function_is_stub",
    "stream.priority_echoed",
    "stream.wait_takes_later_record",
    "stub.DeviceSynchronize",
    "stub.StreamWaitEvent",
    "stub.event_record",
    "text.shared_between_threads",
}


@cache
def mutation_libraries() -> Path:
    """Build the libraries, once for all processes that ask; their folder."""
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    with FileLock(LIBRARIES.with_name("lock")):
        configure = ["cmake", "-S", str(Path(__file__).parent), "-B", str(LIBRARIES), "-G", "Ninja"]
        for command in (configure, ["cmake", "--build", str(LIBRARIES)]):
            child = subprocess.run(command, capture_output=True, text=True)
            if child.returncode != 0:
                raise RuntimeError(f"{' '.join(command)} failed:\n{(child.stdout + child.stderr)[-6000:]}")
    return LIBRARIES


@cache
def mutations() -> dict[str, str]:
    """Name -> what it breaks, of the interposing library."""
    table = ctypes.CDLL(str(mutation_libraries() / "libflagos_mutations.so")).MutationTable
    table.restype = ctypes.c_char_p
    return dict(line.split("\t") for line in table().decode().splitlines())


def all_mutants() -> dict[str, str]:
    """Name -> what is wrong, of every mutant."""
    others = LIBRARY_MUTANTS | SOURCE_MUTANTS
    return mutations() | {name: wrong for name, (wrong, _) in others.items()}


def parameters(names: Iterable[str]) -> list[Any]:
    """Test parameters whose ids are the mutants' names."""
    return [pytest.param(name, id=name, marks=[pytest.mark.sample] if name in SAMPLE else []) for name in names]


# ---- where to look first --------------------------------------------------------------------------------------------

AREAS = {
    "allocator": ("allocator", "memory"),
    "copy": ("memory",),
    "copy_async": ("memory", "streams"),
    "device": ("devices",),
    "error": ("devices", "memory"),
    "event": ("events",),
    "fork": ("devices",),
    "memory": ("memory",),
    "pointer": ("memory",),
    "set": ("memory",),
    "set_async": ("memory",),
    "stream": ("streams", "events"),
    "text": ("devices",),
    "thread": ("devices",),
}


def likely_first(name: str, files: list[Path]) -> list[Path]:
    """`files`, those that should kill the mutant in front: -x then ends the run early. No verdict depends on it."""
    area, _, rest = name.partition(".")
    if area == "stub":
        slot = next((slot for slot in read_contract().slots if slot.name == rest), None)
        source = slot.file if slot else "memory.cc"
        area = {"device.cc": "device", "memory.cc": "memory"}.get(source, "event" if "Event" in rest else "stream")
    front = [f"test_{stem}.py" for stem in AREAS.get(area, ())]
    return sorted(files, key=lambda file: front.index(file.name) if file.name in front else len(front))
