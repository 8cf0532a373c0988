"""A gate runs in a process of its own: whatever it does, it is one result, and the next gate starts clean."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gates.isolation import TEXT_LIMIT, Outcome, Request, WarmProcess, presentable
from gates.status import not_run
from generators.files import ROOT
from tests.unit.children import PROBES, Run, run_pytest


@pytest.fixture
def warm():
    process = WarmProcess({})
    yield process
    process.close()


def run(warm: WarmProcess, function, seconds: float = 10.0, modules=(), environment=None, **arguments) -> Outcome:
    return warm.run(Request(function, arguments, environment or {}, seconds, modules))


def gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether the process ends (or is only waited for any more) within some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def heed_interrupts() -> None:
    """A job in the background ignores Ctrl-C, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def pids_in(folder: Path) -> list[int]:
    """What a gate that hangs wrote, once it has."""
    deadline = time.monotonic() + 60
    while not ((file := folder / "pids").exists() and (words := file.read_text().split())):
        assert time.monotonic() < deadline, "the gate never started"
        time.sleep(0.01)
    return [int(word) for word in words]


# ---- bodies of gates


def passes(measured, value):
    measured["value"] = value * 2


def fails():
    raise ValueError("the vendor said no")


def skips():
    not_run("needs hardware: none is here")


def exits_by_python():
    sys.exit(3)


def dies(number):
    print("words before the end", flush=True)
    os.kill(os.getpid(), number)
    time.sleep(10)


def exits(status):
    os._exit(status)


def sleeps():
    time.sleep(600)


def hangs_in_c():
    while True:  # a C function that keeps the interpreter lock, as a driver's binding may
        ctypes.PyDLL(None).sleep(600)


def has_child(file):
    child = subprocess.Popen(["sleep", "600"])
    Path(file).write_text(f"{os.getpid()} {child.pid}")


def has_child_and_sleeps(file):
    has_child(file)
    time.sleep(600)


def reads_environment(measured):
    measured["value"] = os.environ.get("PROBE_VALUE")


def measures_a_lock(measured):
    measured["lock"] = threading.Lock()


def writes(measured, data):
    os.write(2, b"first words\n")
    for _ in range(8):
        os.write(1, data)
    os.write(2, b"last words\n")


def process_ids(measured):
    measured["value"] = os.getpid(), os.getppid()


# ---- ends


def test_figures_come_back(warm):
    outcome = run(warm, passes, measured={}, value=21)
    assert (outcome.kind, outcome.measured) == ("passed", {"value": 42})


@pytest.mark.parametrize("body, text", [(fails, "ValueError: the vendor said no"), (exits_by_python, "SystemExit: 3")])
def test_an_exception_is_a_failure_with_its_type_first(warm, body, text):
    outcome = run(warm, body)
    assert outcome.kind == "failed"
    assert outcome.text.startswith(text)


def test_a_skip_comes_back_as_the_exception_that_it_was(warm):
    outcome = run(warm, skips)
    assert outcome.kind == "skipped"
    assert type(outcome.exception).__name__ == "NotRun"
    assert outcome.exception.msg == "needs hardware: none is here"


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGTERM"])
def test_death_names_the_signal_and_keeps_the_last_words(warm, name):
    outcome = run(warm, dies, number=signal.Signals[name])
    assert (outcome.kind, outcome.text) == ("died", f"killed by {name}")
    assert outcome.log.startswith("words before the end\n")
    if name not in ("SIGKILL", "SIGTERM"):
        assert "Fatal Python error" in outcome.log
        assert "in dies" in outcome.log  # the Python stack


def test_death_by_a_signal_without_a_name(warm):
    outcome = run(warm, dies, number=signal.SIGRTMIN + 3)
    assert (outcome.kind, outcome.text) == ("died", f"killed by signal {signal.SIGRTMIN + 3}")
    assert run(warm, passes, measured={}, value=1).kind == "passed"


@pytest.mark.parametrize("status", [0, 1, 77])
def test_leaving_without_a_result_is_never_a_pass(warm, status):
    outcome = run(warm, exits, status=status)
    assert (outcome.kind, outcome.text) == ("died", f"exited with status {status} and no result")


@pytest.mark.parametrize("body", [sleeps, hangs_in_c])
def test_a_hang_ends_at_its_limit_with_its_stack(warm, body):
    started = time.monotonic()
    outcome = run(warm, body, seconds=0.2)
    assert time.monotonic() - started < 5
    assert (outcome.kind, outcome.text) == ("timed out", "timed out after 0.2 s")
    assert f"in {body.__name__}" in outcome.log
    assert run(warm, passes, measured={}, value=1).kind == "passed"


@pytest.mark.parametrize("body, kind", [(has_child, "passed"), (has_child_and_sleeps, "timed out")])
def test_the_whole_process_group_is_gone(warm, tmp_path, body, kind):
    assert run(warm, body, seconds=0.5, file=tmp_path / "pids").kind == kind
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


# ---- what a gate leaves behind


def test_environment_reaches_the_gate_and_stays_there(warm):
    assert run(warm, reads_environment, environment={"PROBE_VALUE": "1"}, measured={}).measured == {"value": "1"}
    assert run(warm, reads_environment, measured={}).measured == {"value": None}


def test_each_gate_has_its_own_process_of_one_warm_process(warm):
    (first, parent), (second, same) = (run(warm, process_ids, measured={}).measured["value"] for _ in range(2))
    assert len({first, second, parent, os.getpid()}) == 4
    assert parent == same


# ---- the connection


def test_an_argument_that_cannot_travel_is_named_and_harms_nothing(warm):
    outcome = run(warm, passes, measured={"padding": "x" * 200_000}, value=threading.Lock())
    assert outcome.kind == "failed"
    assert outcome.text.startswith("an argument of the gate (measured, value) cannot go to its process: ")
    assert run(warm, passes, measured={}, value=1).kind == "passed"


def test_a_figure_that_cannot_travel_is_no_pass_and_harms_nothing(warm):
    outcome = run(warm, measures_a_lock, measured={})
    assert outcome.kind == "died"
    assert "cannot pickle '_thread.lock' object" in outcome.log
    assert run(warm, passes, measured={}, value=1).kind == "passed"


def test_a_crash_while_the_warm_process_imports_is_the_gates_end(warm, tmp_path, monkeypatch):
    (tmp_path / "probe_crashing_module.py").write_text("import ctypes\nctypes.string_at(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    warm = WarmProcess({})  # has the path
    with contextlib.closing(warm):
        outcome = run(warm, passes, modules=("probe_crashing_module",), measured={}, value=1)
        assert outcome.kind == "died"
        assert "killed by SIGSEGV while importing probe_crashing_module" in outcome.text
        assert "probe_crashing_module.py" in outcome.log
        assert not warm.alive


def test_a_module_that_cannot_be_imported_fails_the_gate_only(warm):
    outcome = run(warm, passes, modules=("probe_no_such_module",), measured={}, value=1)
    assert outcome.kind == "failed"
    assert "No module named 'probe_no_such_module'" in outcome.text
    assert run(warm, passes, measured={}, value=1).kind == "passed"


def test_the_warm_process_never_returns_into_pytest(warm):
    """A copy of pytest that goes on would write a second report over the first."""
    warm._stream.write(b"this is no request")
    warm._stream.flush()
    pid, warm._pid = warm._pid, 0
    if not gone(pid):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 70


def test_the_warm_process_ends_with_pytests_side():
    warm = WarmProcess({})
    pid = warm._pid
    assert not gone(pid, 0.05)
    warm.close()
    assert gone(pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_gate_does_not_outlive_the_warm_process(tmp_path, number):
    """Ctrl-C reaches the warm process and not the gate, which has a process group of its own."""
    warm = WarmProcess({})
    outcomes = []
    runner = threading.Thread(target=lambda: outcomes.append(run(warm, has_child_and_sleeps, file=tmp_path / "pids")))
    runner.start()
    pids = pids_in(tmp_path)
    os.kill(warm._pid, number)
    nobody_left = number == signal.SIGKILL  # to end the gate's group; the gate itself goes all the same
    left = [pid for pid in pids if not gone(pid, 0.2 if nobody_left and pid != pids[0] else 5)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    runner.join()
    assert left == (pids[1:] if nobody_left else [])
    assert [outcome.kind for outcome in outcomes] == ["died"]
    warm.close()


# ---- texts


def test_a_long_log_keeps_both_ends_and_says_what_is_missing(warm):
    outcome = run(warm, writes, measured={}, data=b"x" * 99 + b"\n" + b"y" * 100_000)
    assert len(outcome.log) <= TEXT_LIMIT
    assert outcome.log.startswith("first words\n")
    assert outcome.log.endswith("last words\n")
    assert "characters left out" in outcome.log


@pytest.mark.parametrize(
    "raw, shown",
    [
        ("plain\n\ttext ü 漢", "plain\n\ttext ü 漢"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38;5;196mbold\x1b[K", "bold"),
        ("\x1b]", "]"),
        ("cut \x1b[31", "cut "),
        ("a\x00b\x0bc\x7f", r"a\x00b\x0bc\x7f"),
        ("\ud800 \udcff", r"\ud800 \udcff"),
        ("\r\n", "\\r\n"),
        ("\ufffe", r"\ufffe"),
    ],
)
def test_text_for_a_report(raw, shown):
    assert presentable(raw) == shown


@given(st.text(st.characters(), max_size=200), st.integers(1, 400))
@example("\x1b[31m\ud800\x00<&]]>", 400)
def test_any_text_is_presentable(text, times):
    shown = presentable(text * times)
    assert len(shown) <= TEXT_LIMIT
    assert all(c in "\n\t" or c.isprintable() for c in shown)
    shown.encode()
    element = ElementTree.Element("case")
    element.text = shown
    assert ElementTree.fromstring(ElementTree.tostring(element)).text in (shown, None if not shown else shown)
    assert presentable(shown) == shown


# ---- the same through pytest, with and without workers


@pytest.fixture(scope="module", params=[(), ("-n2",)], ids=["serial", "workers"])
def endings(request, tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("endings")
    junit, library = folder / "junit.xml", {"PROBE_FOLDER": str(folder)}
    outcome = run_pytest(PROBES / "endings.py", "--gate-timeout", 2, *request.param, junit=junit, **library)
    pids = (folder / "pids").read_text().split()
    assert len(pids) == 2
    assert all(gone(int(pid)) for pid in pids), "processes of the gate that hung are left"
    return outcome


def test_every_gate_is_in_the_report_and_the_guilty_ones_fail(endings):
    assert endings.status == 1
    assert {name for name, case in endings.cases.items() if case.result == "failure"} == {
        "test_abort",
        "test_binary_crash",
        "test_binary_here",
        "test_binary_output",
        "test_exception",
        "test_exit",
        "test_hang",
        "test_poison",
        "test_segfault",
    }
    passed = {name for name, case in endings.cases.items() if case.result == "passed"}
    assert passed == {"test_binary_measured", "test_smoke_before", *(f"test_smoke_after[{i}]" for i in range(3))}
    assert len(endings.cases) == 16
    assert "9 failed, 5 passed, 2 skipped" in endings.output


def test_a_crash_shows_all_that_is_needed_to_understand_it(endings):
    text = endings.cases["test_segfault"].text
    assert "killed by SIGSEGV in or after " in text
    assert "memory.cc (" in text  # the vendor's function that was called last, and where it is
    assert "Fatal Python error: Segmentation fault" in text
    assert "probe-stderr-marker" in text
    assert "in test_segfault" in text
    assert "pytest tests/unit/probes/endings.py::test_segfault --vendor host" in text
    for words in ("killed by SIGSEGV", "probe-stderr-marker", "killed by SIGABRT", "timed out after 2 s"):
        assert words in endings.output
    assert "exited with status 0 and no result" in endings.cases["test_exit"].text


def test_a_hang_shows_its_stack(endings):
    text = endings.cases["test_hang"].text
    assert "timed out after 2 s" in text
    assert "in test_hang" in text


def test_what_a_failing_gate_printed_is_in_the_report(endings):
    case = endings.cases["test_exception"]
    assert "ValueError: the vendor said no" in case.text
    assert "probe-said-before" in case.text
    assert "FAIL     probe.exception" in endings.output
    assert "ValueError: the vendor said no" in endings.output


def test_one_poisoned_gate_does_not_poison_the_next(endings):
    assert "the device is full and will stay so" in endings.cases["test_poison"].text
    assert endings.statuses["probe.smoke_after"] == "PASS"


@pytest.mark.parametrize("name", ["output", "crash", "skip", "measured", "here", "skip_here"])
def test_binary_texts_leave_a_report_that_can_be_read(endings, name):
    """That it parses is proved by reading it."""
    text = endings.cases[f"test_binary_{name}"].text
    assert "ERR" in text
    assert r"\x00" in text
    assert "[31m" not in text
    assert "\x1b" not in endings.output
    assert len(text) < 200_000
    assert "left out ..." in text


def test_a_run_that_is_interrupted_leaves_a_report_and_no_process(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        PROBES / "endings.py",
        "-k",
        "hang or binary_here",
        "-p",
        "no:cacheprovider",
    ]
    child = subprocess.Popen(
        [*command, f"--junitxml={tmp_path}/junit.xml"],
        cwd=ROOT,
        env=os.environ | {"PROBE_FOLDER": str(tmp_path)},
        start_new_session=True,
        preexec_fn=heed_interrupts,
        stdout=subprocess.PIPE,
        text=True,
    )
    pids = pids_in(tmp_path)
    os.killpg(child.pid, signal.SIGINT)  # as Ctrl-C does: the gate has a process group of its own
    output, _ = child.communicate(timeout=20)
    assert all(gone(pid) for pid in pids)
    assert child.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "KeyboardInterrupt" in output
    cases = list(ElementTree.parse(tmp_path / "junit.xml").iter("testcase"))
    assert "test_binary_here" in [case.get("name") for case in cases]
