"""Options, statuses, report and JUnit, as a user meets them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from generators.files import ROOT

CUDA = Path("/usr/local/cuda")

PROBE = """
import pytest


@pytest.mark.gate("runtime.probe.broken")
def test_broken():
    assert False


@pytest.mark.gate("runtime.probe.works")
def test_works():
    pass


@pytest.mark.gate("runtime.probe.timed", requires=["event_timing"])
def test_timed():
    raise RuntimeError("not reached")


@pytest.mark.gate("runtime.probe.skips")
def test_skips():
    pytest.skip("for a reason")
"""
# The plugin reads descriptors through generators.vendor: this one, loaded with -p, gives `host` the gaps of GAPS.
GAPS = """
import dataclasses
import os
import generators.vendor as module
from generators.vendor import Gap

def gap(kind, **key):
    return Gap(kind=kind, reason="the reason", consequence="the consequence", where="vendor.yaml:7", **key)

original = module.read_descriptor
def with_gaps(path):
    gaps = [gap("unsupported", capability="event_timing"), gap("expected_failure", gate="runtime.probe.broken")]
    gaps += [gap("expected_failure", gate=os.environ["EXTRA_GAP"])] if "EXTRA_GAP" in os.environ else []
    return dataclasses.replace(original(path), gaps=tuple(gaps))
module.read_descriptor = with_gaps
"""


@pytest.fixture(scope="module")
def gaps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "declared_gaps.py").write_text(GAPS)
    return {"PYTHONPATH": str(folder)}


def collect(*arguments, cwd=ROOT, **environment):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True)


# ---- options


@pytest.mark.parametrize(
    "arguments",
    [
        ["gates/runtime", "--vendor", "host"],
        ["--vendor", "host", "gates/runtime"],
        ["--vendor=host"],
        ["-n2", "--vendor=host", "gates/runtime"],
    ],
)
def test_options_exist_in_every_position(arguments):
    assert collect(*arguments).returncode == 0


def test_options_exist_from_another_directory(tmp_path):
    assert collect(str(ROOT / "gates/runtime"), "--vendor", "host", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--vendor", "nosuch"], "no vendor 'nosuch'"),
        (["--vendor", "hots"], "did you mean 'host'?"),
        (["--vendor", "xpu"], "Intel"),
        (["--vendor", "cuda", "--sdk-path", "/nonexistent"], "no such directory"),
        (["gates/runtime", "--vendor", "host", "--sdk-path", "/usr"], "needs no SDK"),
        (["--gate-timeout", "0"], "--gate-timeout"),
        (["gates/runtim"], "not found: gates/runtim"),
    ],
)
def test_bad_input_is_one_message_and_a_usage_error(arguments, message):
    child = collect(*arguments)
    output = child.stdout + child.stderr
    assert child.returncode == 4
    assert message in output
    assert "Traceback" not in output and "unrecognized" not in output


def test_missing_runtime_library_is_a_usage_error():
    child = collect(FLAGOS_RUNTIME_LIBRARY="/nonexistent.so")
    assert child.returncode == 4 and "no such file" in child.stderr


def test_vendors_are_listed():
    child = collect("--vendors")
    assert child.returncode == 0
    assert re.search(r"^host +simulated device", child.stdout, re.M) and re.search(r"^cuda +CUDA", child.stdout, re.M)


def test_collection_is_the_same_everywhere_and_readable():
    listings = {collect("gates", PYTHONHASHSEED=seed).stdout.rpartition("\n\n")[0] for seed in ("0", "1", "2")}
    assert len(listings) == 1
    assert not re.search(r"0x[0-9a-f]{6,}|<(object|function)", listings.pop())


def test_two_gate_folders_may_have_files_of_one_name(run_gates, tmp_path):
    gate = 'import pytest\n\n\n@pytest.mark.gate("runtime.probe.x")\ndef test_{name}():\n    pass\n'
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test_copy.py").write_text(gate.format(name=name))
    run = run_gates("-k", "test_one or test_two", paths=("gates/runtime/test_contract.py", str(tmp_path)))
    assert run.status == 0 and {"test_one", "test_two"} <= set(run.cases)


def test_gates_name_no_vendor():
    for path in (ROOT / "gates/runtime").glob("*.py"):
        assert not re.search(r"torch\.cuda\.|[\"'](cuda|kunlun|ascend|opencl|host)[\"']", path.read_text()), path


# ---- statuses


@pytest.fixture(scope="module", params=[(), ("-n", "2")], ids=["serial", "xdist"])
def gapped(request, run_gates, gaps):
    return run_gates("-p", "declared_gaps", *request.param, probe=PROBE, **gaps)


def test_gaps_are_shown_with_reason_and_consequence(gapped):
    assert gapped.status == 0, gapped.text
    assert gapped.properties("test_timed") == {"gate": "runtime.probe.timed", "status": "GAP"}
    assert gapped.properties("test_broken")["status"] == "GAP"
    for part in (
        "GAP      runtime.probe.timed",
        "unsupported: the reason; the consequence (vendor.yaml:7)",
        "expected failure: the reason",
    ):
        assert part in gapped.text


def test_not_run_is_neither_pass_nor_success(gapped):
    assert gapped.properties("test_skips")["status"] == "NOT RUN"
    assert "NOT PROVEN (2 PASS, 1 NOT RUN, 2 GAP)" in gapped.text


def test_suite_properties_survive_xdist(gapped):
    assert {"vendor", "sdk", "torch", "commit", "hardware", "verdict", "simulated"} <= set(gapped.suite)
    assert gapped.suite["vendor"].startswith("host") and gapped.suite["torch"].startswith("2.13")


def test_expected_failure_that_passes_is_a_failure_naming_the_line(run_gates, gaps):
    run = run_gates("-p", "declared_gaps", probe=PROBE, EXTRA_GAP="runtime.probe.works", **gaps)
    assert run.status == 1
    assert "vendor.yaml:7" in run.failure("test_works") and "delete that entry" in run.failure("test_works")


def test_gap_that_matches_no_gate_is_a_usage_error(gaps):
    child = collect("gates/runtime", "-p", "declared_gaps", **gaps)
    assert child.returncode == 4
    assert "vendor.yaml:7: no gate has the id 'runtime.probe.broken'" in child.stdout + child.stderr


def test_certify_fails_what_did_not_run(run_gates, gaps):
    run = run_gates("-p", "declared_gaps", "--certify", probe=PROBE, **gaps)
    assert run.status == 1
    assert "--certify does not accept" in run.failure("test_skips") and "for a reason" in run.failure("test_skips")


def test_a_run_in_which_nothing_ran_is_no_success(run_gates):
    run = run_gates("-k", "skips", probe=PROBE)
    assert run.status == 1 and "NOTHING RAN" in run.text


def test_record_refuses_part_of_a_suite(run_gates):
    run = run_gates("--record")
    assert run.status == 1 and "evidence is of a whole suite" in run.text


@pytest.mark.skipif(
    not (CUDA / "include/cuda_runtime_api.h").is_file(), reason="needs a CUDA toolkit in /usr/local/cuda"
)
def test_absent_hardware_is_not_run_and_says_what_to_provide(run_gates):
    run = run_gates(
        "--vendor", "cuda", "--sdk-path", str(CUDA), "-k", "this_machine or aligned", paths=("gates/runtime",)
    )
    ends = {name: run.properties(name)["status"] for name in run.cases}
    if "PASS" in [end for name, end in ends.items() if "aligned" in name]:
        pytest.skip("this machine has a GPU")
    assert run.status == 0
    assert ends["test_library_is_for_this_machine"] == "PASS"
    assert {end for name, end in ends.items() if "aligned" in name} == {"NOT RUN"}
    assert "needs hardware: GetDeviceCount is 0" in run.text


def test_header_and_report_name_what_was_tested(run_gates):
    run = run_gates("-k", "this_machine", paths=("gates/runtime",))
    assert "vendor: host (simulated device)" in run.text
    assert re.search(r"sdk: none needed · torch: 2\.13\.\S+ · commit: \w+", run.text)
    assert run.suite["runtime_library"].startswith("sha256:")
