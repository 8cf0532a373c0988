"""Whatever a gate's process does, it is one failed gate that says what happened; the others run."""

import subprocess
import time

import pytest

MISBEHAVIOUR = r"""
import ctypes, os, signal, subprocess, sys, time
import pytest

pytestmark = pytest.mark.isolated
state = []
RED = "\x1b" + "[31" + "m"


@pytest.mark.gate("runtime.probe.segfault")
def test_segfault():
    print("probe-stderr-marker", file=sys.stderr, flush=True)
    ctypes.string_at(0)


@pytest.mark.gate("runtime.probe.abort")
def test_abort():
    os.abort()


@pytest.mark.gate("runtime.probe.exit")
def test_exit():
    os._exit(3)


@pytest.mark.gate("runtime.probe.hang")
def test_hang():
    subprocess.Popen(["sleep", "4242.42"])
    time.sleep(4242)


@pytest.mark.gate("runtime.probe.assertion")
def test_assertion():
    left, right = [1, 2], [1, 3]
    assert left == right


@pytest.mark.gate("runtime.probe.binary")
def test_binary(measured):
    os.write(2, RED.encode() + b"ERR\x00\xff\x0b\xed\xa0\x80 <&]]>\n" * 20000)
    measured["odd"] = "\x00<&]]>\ud800"
    raise ValueError(RED + "ERR\x00 <&]]> \ud800 " * 20000)


@pytest.mark.gate("runtime.probe.sticky")
def test_sticky():
    state.append("poison")
    os.environ["FLAGOS_POISON"] = "1"
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.gate("runtime.probe.after")
@pytest.mark.parametrize("turn", range(3))
def test_after(turn):
    assert not state and "FLAGOS_POISON" not in os.environ
    state.append(turn)


@pytest.mark.gate("runtime.probe.measured")
def test_measured(measured):
    measured["speed"] = 42


@pytest.mark.gate("runtime.probe.own")
def test_own_process():
    assert os.getpid() != os.getsid(0) and os.getpgid(0) == os.getpid()
"""
EXPECTED = {
    "test_segfault": "killed by SIGSEGV",
    "test_abort": "killed by SIGABRT",
    "test_exit": "exited with status 3",
    "test_hang": "timed out after 3 s",
    "test_assertion": "assert [1, 2] == [1, 3]",
    "test_binary": "ValueError",
    "test_sticky": "killed by SIGKILL",
}
PASSING = [
    "test_after[0]",
    "test_after[1]",
    "test_after[2]",
    "test_measured",
    "test_own_process",
    "test_vendor_name_is_acceptable",
]


@pytest.fixture(scope="module", params=[(), ("-n", "2")], ids=["serial", "xdist"])
def run(request, run_gates):
    return run_gates("--gate-timeout", "3", *request.param, probe=MISBEHAVIOUR)


def test_each_misbehaviour_is_one_failure_with_its_cause(run):
    assert run.status == 1
    for name, cause in EXPECTED.items():
        assert run.end(name) == "failure", (name, run.text[-2000:])
        assert cause in run.failure(name)
        assert run.properties(name)["status"] == "FAIL"


def test_the_other_gates_run_and_pass(run):
    assert [name for name in PASSING if run.end(name) != "passed"] == []
    assert len(run.cases) == len(PASSING) + len(EXPECTED)
    assert run.properties("test_measured")["speed"] == "42"


def test_crash_shows_last_words_stack_and_the_command_to_repeat(run):
    text = run.failure("test_segfault")
    for part in (
        "SIGSEGV",
        "Fatal Python error",
        "probe-stderr-marker",
        "test_segfault",
        "next",
        "pytest ",
        "--vendor host",
    ):
        assert part in text, part


def test_hang_shows_where_it_hung_and_leaves_no_process(run):
    assert "in test_hang" in run.failure("test_hang")
    time.sleep(0.2)
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "4242.42" not in listing


def test_binary_output_gives_a_clean_and_bounded_report(run):
    text = run.failure("test_binary") + str(run.properties("test_binary"))
    assert "ERR" in text and "[31m" not in text and "\x00" not in text
    assert len(text) < 200_000


def test_verdict_counts_them(run):
    assert f"FAIL ({len(PASSING)} PASS, {len(EXPECTED)} FAIL)" in run.text
    assert run.suite["verdict"] == "FAIL"


def test_warm_process_that_dies_in_an_import_is_a_failure_not_the_end(run_gates, tmp_path):
    (tmp_path / "torch.py").write_text("import os\nprint('last words', flush=True)\nos.abort()\n")
    probe = """
        import pytest

        @pytest.mark.gate("runtime.probe.needs_torch")
        @pytest.mark.parametrize("turn", range(2))
        def test_needs_torch(device, turn):
            pass
    """
    run = run_gates(probe=probe, PYTHONPATH=str(tmp_path))
    for turn in range(2):
        assert "SIGABRT" in run.failure(f"test_needs_torch[{turn}]") and "torch" in run.failure(
            f"test_needs_torch[{turn}]"
        )
        assert "last words" in run.failure(f"test_needs_torch[{turn}]")
    assert run.end("test_vendor_name_is_acceptable") == "passed"
