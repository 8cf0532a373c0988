"""Each mutant of the host runtime must be killed by a gate."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from generators.contract import read_contract
from tests.mutation.gate_run import gate_files, run_gates
from tests.mutation.mutants import (
    EQUIVALENT,
    LIBRARY_MUTANTS,
    REFERENCE,
    SAMPLE,
    all_mutants,
    likely_first,
    mutation_libraries,
    mutations,
    parameters,
)
from tests.mutation.source import SOURCE_MUTANTS, copy_checkout


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mutation" in metafunc.fixturenames:
        metafunc.parametrize("mutation", parameters(sorted(mutations())))


@pytest.mark.sample
def test_gates_pass_without_a_mutation(control):
    assert control.passed > 200


@pytest.mark.sample
def test_every_function_has_a_stub_and_every_list_names_mutants():
    contract, known = read_contract(), all_mutants()
    assert {f"stub.{f.name}" for f in (*contract.slots, *contract.virtuals)} <= known.keys()
    assert known.keys() >= SAMPLE
    assert EQUIVALENT.keys() <= known.keys()


@pytest.mark.sample
def test_reference_lists_every_mutant():
    rows = [line.split(" | ") for line in REFERENCE.read_text().splitlines() if line.startswith("| `")]
    assert {name.strip("| `"): wrong for name, wrong, _ in rows} == all_mutants(), "pytest tests/mutation --record"


def test_unknown_mutation_aborts_and_names_near_ones(interposing):
    library = mutation_libraries() / "libflagos_mutant.so"
    call = f"import ctypes; ctypes.CDLL({str(library)!r}).DeviceSynchronize()"
    environment = os.environ | interposing("stub.Mallok")
    child = subprocess.run([sys.executable, "-c", call], env=environment, capture_output=True, text=True)
    assert child.returncode == -6
    assert "no mutation 'stub.Mallok'; near names: stub.Malloc" in child.stderr


def test_mutant_is_killed(mutation, control, interposing, verdict, tmp_path):
    """Gates that only read files cannot see these and are left out."""
    files = [file for file in gate_files() if file.name != "test_contract.py"]
    run = run_gates(likely_first(mutation, files), interposing(mutation), tmp_path / "junit.xml")
    verdict(mutation, run)


@pytest.mark.parametrize("mutant", parameters(LIBRARY_MUTANTS))
def test_wrong_library_is_refused(mutant, control, interposing, verdict, tmp_path):
    _, library = LIBRARY_MUTANTS[mutant]
    verdict(mutant, run_gates(gate_files(), interposing(library=library), tmp_path / "junit.xml"))


@pytest.mark.parametrize("mutant", parameters(SOURCE_MUTANTS))
def test_wrong_source_is_refused(mutant, control, host_library, verdict, tmp_path):
    _, edit = SOURCE_MUTANTS[mutant]
    root = copy_checkout(tmp_path / "checkout")
    edit(root)
    files = [root / "gates/runtime/test_contract.py"]
    verdict(mutant, run_gates(files, {"FLAGOS_RUNTIME_LIBRARY": str(host_library)}, tmp_path / "junit.xml", root))
