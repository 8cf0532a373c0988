"""The gates' options, statuses and report, seen from outside: in runs of pytest in their own processes."""

import ast
import hashlib
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import storage_directory

from generators.aten.lines import installed_line
from generators.files import ROOT
from generators.gates import list_gates
from generators.vendor import known_vendors
from tests.unit.children import PROBES, Run, run_many, run_pytest

GATES = sorted((ROOT / "gates").glob("*/test_*.py"))
DOUBLES = ("-p", "tests.unit.doubles")

GAPS = """\
vendor: host
title: simulated device
simulated: true
gaps:
  - kind: unsupported
    gate: probe.permanent
    reason: the chip has no such unit
    consequence: nothing runs there
  - kind: unsupported
    capability: event_timing
    reason: events have no clock
    consequence: elapsed_time is unavailable
  - {kind: expected_failure, gate: probe.temporary, reason: driver 1.2 aborts, consequence: avoid it}
  - {kind: expected_failure, gate: probe.repaired, reason: was broken, consequence: was avoided}
  - {kind: expected_failure, gate: probe.temporary_setup, reason: driver 1.2 aborts, consequence: avoid it}
"""

GHOST = """\
vendor: ghost
title: a chip that nobody has
simulated: false
sdk:
  name: ghost SDK
  environment: [PROBE_GHOST_HOME]
  places: [/nonexistent/ghost]
  headers: [ghost.h]
  library: libghost.so
"""


DEAD = "gate: runtime.memory.round_tripp"
UNBUILT = "vendor: unbuilt\ntitle: a chip\nsimulated: true\n"


def write_vendor(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "vendor.yaml").write_text(text)


# ---- statuses ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def descriptors(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("vendors")
    write_vendor(folder, "host", GAPS)
    return folder


PROGRAM = Path(sys.executable).resolve()  # an ELF file for this machine
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def alone(descriptors, tmp_path_factory) -> dict[str, Run]:
    """Runs without workers."""
    common = f"-p tests.unit.doubles PROBE_DESCRIPTORS={descriptors} PROBE_SOURCE={COMMIT}"
    broken = tmp_path_factory.mktemp("ghost")
    write_vendor(broken, "ghost", GHOST)
    write_vendor(broken, "unbuilt", UNBUILT)
    build = f"-p tests.unit.doubles PROBE_BUILD={broken} PROBE_DESCRIPTORS={broken}"
    devices = "gates/runtime/test_devices.py -k 'count or every' FLAGOS_HOST_DEVICES=0"
    return run_many(
        {
            "all": f"{PROBES}/statuses.py {common}",
            "certify": f"{PROBES}/statuses.py {common} --certify",
            "accepted": f"{PROBES}/statuses.py {common} -k 'passes or needs or permanent or temporary and not setup'",
            "deviceless": devices,
            "deviceless certify": f"{devices} --certify",
            "part": "gates/runtime -k acceptable --record",
            "given": f"gates/runtime/test_contract.py -k acceptable FLAGOS_RUNTIME_LIBRARY={PROGRAM}",
            "given crash": f"{PROBES}/endings.py -k abort --gate-timeout 7 FLAGOS_RUNTIME_LIBRARY={PROGRAM}",
            "build": f"gates/runtime/test_contract.py -k test_slot_is_exported --vendor=unbuilt {build}",
            "build certify": f"gates/runtime/test_contract.py -k test_slot_is_exported --vendor=unbuilt --certify {build}",
            "ghost": "gates/runtime --vendor=ghost --record -p tests.unit.doubles "
            f"PROBE_DESCRIPTORS={broken} PROBE_SOURCE={COMMIT}+",
        }
    )


@pytest.fixture(scope="module")
def workers(descriptors, tmp_path_factory) -> Run:
    junit = tmp_path_factory.mktemp("statuses") / "junit.xml"
    doubles = {"PROBE_DESCRIPTORS": str(descriptors), "PROBE_SOURCE": COMMIT}
    return run_pytest(PROBES / "statuses.py", *DOUBLES, "-n2", junit=junit, **doubles)


@pytest.fixture(params=["alone", "workers"])
def statuses(request) -> Run:
    return request.getfixturevalue("alone")["all"] if request.param == "alone" else request.getfixturevalue("workers")


EXPECTED = {
    "probe.passes": "PASS",
    "probe.passes_here": "PASS",
    "probe.fails": "FAIL",
    "probe.fails_late": "FAIL",
    "probe.needs": "NOT RUN",
    "probe.permanent": "GAP",
    "probe.by_capability": "GAP",
    "probe.temporary": "GAP",
    "probe.repaired": "FAIL",
    "probe.temporary_setup": "FAIL",
}


def test_each_gate_has_its_status_in_junit(statuses):
    assert statuses.statuses == EXPECTED
    assert statuses.status == 1


def test_the_summary_has_each_gate_its_status_and_its_first_reason(statuses):
    rows = re.findall(r"^(PASS|FAIL|GAP|NOT RUN) +(probe\.\w+) +1(?:  (.+))?$", statuses.output, re.M)
    assert {gate: status for status, gate, _ in rows} == EXPECTED
    assert "VERDICT  host: FAIL of a selection (2 PASS, 1 NOT RUN, 3 GAP, 4 FAIL)" in statuses.output
    reasons = {gate: reason for _, gate, reason in rows}
    assert reasons["probe.fails"] == "the answer is wrong; found 41"
    assert reasons["probe.fails_late"] == "the device is not given back"
    assert reasons["probe.needs"] == "needs hardware: a device of this vendor"
    assert reasons["probe.temporary_setup"] == "RuntimeError: the fixture is broken"


def test_a_failure_shows_what_was_expected_and_found(statuses):
    assert "the answer is wrong\n  expected  42\n  found     41" in statuses.output


def test_an_unsupported_gate_never_runs_and_says_why_and_where(statuses, descriptors):
    descriptor = descriptors / "host/vendor.yaml"
    for name, line, reason in [
        ("test_permanent", 5, "unsupported: the chip has no such unit; nothing runs there"),
        ("test_by_capability", 9, "unsupported: events have no clock; elapsed_time is unavailable"),
    ]:
        assert statuses.cases[name].result == "skipped"
        assert f"{reason} ({descriptor}:{line})" in statuses.cases[name].text


def test_an_expected_failure_runs_and_its_end_is_accepted(statuses, descriptors):
    case = statuses.cases["test_temporary"]
    assert case.result == "skipped"
    assert f"expected failure: driver 1.2 aborts; avoid it ({descriptors}/host/vendor.yaml:13)" in case.text


def test_an_expected_failure_that_passes_is_a_failure_that_names_the_line(statuses, descriptors):
    case = statuses.cases["test_repaired"]
    assert case.result == "failure"
    assert f"probe.repaired passes although {descriptors}/host/vendor.yaml:14 expects it to fail" in case.text
    assert "delete that entry" in case.text


def test_an_expected_failure_does_not_excuse_a_broken_fixture(statuses):
    assert statuses.cases["test_temporary_setup"].result == "error"


def test_figures_are_in_junit_whichever_process_measured_them(statuses):
    assert statuses.cases["test_passes"].properties["bandwidth"] == "12.5"
    assert statuses.cases["test_passes_here"].properties["count"] == "28"


def test_the_suite_says_what_was_proved_on_what(statuses):
    facts = statuses.suite
    assert facts["vendor"] == "host (simulated device)"
    assert facts["simulated"] == "true"
    assert facts["sdk"] == "none needed"
    assert facts["torch"].startswith("2.13.")
    assert facts["commit"] == "0123456789ab"
    assert "CPUs" in facts["hardware"]
    assert facts["verdict"] == "FAIL"
    assert re.fullmatch("sha256:[0-9a-f]{64}", facts["runtime_library"])


def test_the_header_says_what_is_tested(statuses):
    assert "vendor: host (simulated device), the default; --vendor NAME is another" in statuses.output
    assert "sdk: none needed · torch: 2.13." in statuses.output
    assert "commit: 0123456789ab · mode: check" in statuses.output


def test_the_header_says_that_a_vendor_was_named(short):
    assert "vendor: host (simulated device), named by --vendor\n" in short["named vendor"].output


@pytest.fixture
def fake_torch(tmp_path):
    """A folder like site-packages, with a torch that only says its version."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").touch()
    (tmp_path / "torch/version.py").write_text("__version__ = '2.13.0+cpu'\n")
    return tmp_path


@pytest.mark.parametrize("change", ["another build", "another place", "nothing"])
def test_nothing_is_certified_where_torch_changed_during_the_run(fake_torch, change):
    """An installation may have put a CUDA torch where the CPU's was: what ran after it ran on another library."""
    place = {"PYTHONPATH": f"{fake_torch}{os.pathsep}{ROOT}", "PROBE_TORCH": str(fake_torch), "PROBE_INSTALLS": change}
    run = run_pytest(PROBES / "swapped_torch.py", *DOUBLES, junit=fake_torch / "j.xml", **place)
    assert run.statuses == {"probe.installs": "PASS"}
    verdict, _, reason = run.output.partition("VERDICT  host: ")[2].partition(": ")
    if change == "nothing":
        assert run.status == 0 and verdict.startswith("PASS") and run.suite["verdict"] == "PASS"
        return
    assert run.status == 1 and verdict == "FAIL of a selection (1 PASS)" and run.suite["verdict"] == "FAIL"
    was, is_ = reason.partition(" in ")[0].removeprefix("torch changed during the run: it was ").split(", it is ")
    assert was == f"torch 2.13.0+cpu at {fake_torch}"
    assert is_ == (f"torch 2.13.0+cu130 at {fake_torch}" if change == "another build" else str(installed_line()))


def test_certify_accepts_no_gate_that_did_not_run(alone):
    certifying, checking = alone["certify"], alone["all"]
    assert certifying.statuses == checking.statuses
    changed = {name for name, case in certifying.cases.items() if case.result != checking.cases[name].result}
    assert changed == {"test_needs"}
    assert checking.cases["test_needs"].result == "skipped"
    assert certifying.cases["test_needs"].result == "failure"
    assert "NOT RUN, which --certify does not accept: needs hardware" in certifying.cases["test_needs"].text
    assert certifying.suite["mode"] == "certify"


def test_declared_gaps_and_absent_hardware_are_no_failure(alone):
    assert alone["accepted"].status == 0
    assert alone["accepted"].suite["verdict"] == "NOT PROVEN"
    assert "VERDICT  host: NOT PROVEN of a selection (2 PASS, 1 NOT RUN, 2 GAP)" in alone["accepted"].output


# ---- runs in which little can run -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["deviceless", "deviceless certify"])
def test_without_a_device_gates_do_not_run_and_say_what_to_provide(alone, name):
    run = alone[name]
    assert set(run.statuses.values()) == {"NOT RUN"}
    assert len(run.cases) >= 2
    cause = "needs hardware: GetDeviceCount is 0; run on a machine with a device of vendor 'host'"
    assert all(cause in case.text for case in run.cases.values())
    assert {case.result for case in run.cases.values()} == {"error" if "certify" in name else "skipped"}


@pytest.mark.parametrize("name", ["deviceless", "deviceless certify"])
def test_a_run_in_which_nothing_ran_is_no_success(alone, name):
    assert alone[name].status == 1
    assert alone[name].suite["verdict"] == "NOTHING RAN"
    assert "VERDICT  host: NOTHING RAN" in alone[name].output
    assert "environment: FLAGOS_HOST_DEVICES=0" in alone[name].output


def test_without_an_sdk_each_cause_names_every_place(alone):
    whole = (
        "vendor 'ghost'; pass --sdk-path DIR or set $PROBE_GHOST_HOME\nlooked in:\n  /nonexistent/ghost (usual place): "
    )
    assert whole in alone["ghost"].output, "the header has it once"
    cases = [case for case in alone["ghost"].cases.values() if case.properties["gate"].startswith("runtime.memory.")]
    assert cases
    for case in cases:
        assert case.properties["status"] == "NOT RUN"
        assert "needs SDK: no ghost SDK found for vendor 'ghost'" in case.text
        assert "pass --sdk-path DIR or set $PROBE_GHOST_HOME" in case.text
        assert "/nonexistent/ghost (usual place): no such directory" in case.text


def test_without_an_sdk_what_needs_none_still_runs(alone):
    ghost = alone["ghost"]
    assert ghost.statuses["runtime.contract.count"] == "PASS"
    assert ghost.statuses["runtime.contract.grep"] == "FAIL"  # there are no sources
    facts = {"sdk": "not found", "vendor": "ghost", "simulated": "false", "verdict": "FAIL"}
    assert ghost.suite | facts == ghost.suite


def test_a_suite_that_did_not_pass_is_not_recorded(alone):
    assert "not recorded: evidence is of a PASS on known hardware, this is FAIL on" in alone["ghost"].output
    assert "VERDICT  ghost: FAIL (" in alone["ghost"].output  # of the whole suite
    assert alone["ghost"].status == 1


def test_a_part_of_a_suite_is_not_recorded(alone):
    assert "1 passed" in alone["part"].output
    assert "not recorded: evidence is of a whole suite" in alone["part"].output
    assert alone["part"].status == 1


def test_a_library_that_was_given_is_named_by_its_content(alone):
    digest = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()
    assert alone["given"].suite["runtime_library"] == f"sha256:{digest}"
    assert f"environment: FLAGOS_RUNTIME_LIBRARY={PROGRAM}" in alone["given"].output


def test_the_command_to_repeat_has_all_that_made_the_run_what_it_was(alone):
    command = f"FLAGOS_RUNTIME_LIBRARY={PROGRAM} pytest tests/unit/probes/endings.py::test_abort --vendor host"
    assert f"{command} --gate-timeout 7" in alone["given crash"].cases["test_abort"].text


def test_a_failure_that_many_gates_share_is_one_failure(alone):
    run = alone["build"]
    failed = [name for name, case in run.cases.items() if case.properties["status"] == "FAIL"]
    assert len(failed) == 1
    assert "build failed: a compiler's message" in run.cases[failed[0]].text
    others = [case for name, case in run.cases.items() if name not in failed]
    assert len(others) == 27
    for case in others:
        assert case.properties["status"] == "NOT RUN"
        assert case.result == "skipped"
        assert f"blocked by the failure of gates/runtime/test_contract.py::{failed[0]}" in case.text
    assert run.suite["verdict"] == "FAIL"
    assert run.status == 1
    certified = alone["build certify"].cases.values()
    assert {case.result for case in certified} <= {"failure", "error"}


@pytest.mark.skipif(not Path("/usr/local/cuda/include").is_dir(), reason="needs a toolkit in /usr/local/cuda")
@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="needs a machine without this hardware")
def test_absent_hardware_is_not_run_although_the_library_is_built(tmp_path):
    arguments = ("gates/runtime", "--vendor=cuda", "--sdk-path=/usr/local/cuda", "-k", "this_machine or aligned")
    run = run_pytest(*arguments, junit=tmp_path / "junit.xml")
    assert run.status == 0, run.output[-2000:]
    ends = {name.partition("[")[0]: case.properties["status"] for name, case in run.cases.items()}
    assert ends.pop("test_library_is_for_this_machine") == "PASS"
    assert set(ends.values()) == {"NOT RUN"}
    assert "needs hardware: GetDeviceCount is 0" in run.output
    assert run.suite["verdict"] == "NOT PROVEN"


# ---- one build for all workers ---------------------------------------------------------------------------


def test_four_workers_build_once(tmp_path):
    slots = ("gates/runtime/test_contract.py", "-k", "test_slot_is_exported", "-n4", *DOUBLES)
    outcome = run_pytest(*slots, PROBE_BUILD=str(tmp_path))
    assert "28 passed" in outcome.output
    assert "4 workers" in outcome.output
    assert len((tmp_path / "build/runtime/host/builds.log").read_text().splitlines()) == 1


def test_workers_report_a_failed_build_and_try_it_once(tmp_path):
    write_vendor(tmp_path / "vendors", "unbuilt", UNBUILT)
    slots = ("gates/runtime/test_contract.py", "-k", "test_slot_is_exported", "-n2", "--vendor=unbuilt", *DOUBLES)
    outcome = run_pytest(*slots, PROBE_BUILD=str(tmp_path), PROBE_DESCRIPTORS=str(tmp_path / "vendors"))
    told = re.findall(
        r"^FAIL +runtime\.contract\.exported +(\d+)  build failed: a compiler's message$", outcome.output, re.M
    )
    blocked = re.findall(r"^NOT RUN +runtime\.contract +(\d+)  .*blocked by the failure of \S+$", outcome.output, re.M)
    assert sum(map(int, told + blocked)) == 28
    assert int(told[0]) <= 2, "a worker tells it once"
    assert outcome.status == 1
    assert len((tmp_path / "build/runtime/unbuilt/builds.log").read_text().splitlines()) == 1


# ---- options -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def short(descriptors, tmp_path_factory) -> dict[str, Run]:
    """Runs that end before a gate does."""
    folder = tmp_path_factory.mktemp("mistakes")
    write_vendor(folder, "host", GAPS)
    write_vendor(folder, "dead", GAPS.replace("vendor: host", "vendor: dead").replace("gate: probe.repaired", DEAD))
    write_vendor(folder, "broken", "vendor: broken\ntitle: 5\n")
    doubles = f"PROBE_DESCRIPTORS={folder} -p tests.unit.doubles"
    return run_many(
        {
            "unknown vendor": "--vendor nosuch",
            "misspelt vendor": "gates/runtime --vendor hots -n2",
            "refused vendor": "--vendor xpu",
            "no directory": "--vendor cuda --sdk-path /nonexistent",
            "no sdk": "gates/runtime --vendor cuda --sdk-path /tmp -n2",
            "needless sdk": "--sdk-path=/tmp",
            "needless sdk first": "--sdk-path /tmp gates/runtime",
            "no library": "FLAGOS_RUNTIME_LIBRARY=/nonexistent.so",
            "no ELF library": f"FLAGOS_RUNTIME_LIBRARY={ROOT}/pytest.ini",
            "no time": "--gate-timeout 0",
            "no number": "--gate-timeout soon",
            "misspelt path": "gates/runtim --vendor host",
            "broken descriptor": f"--vendor=broken {doubles}",
            "list": "--vendors",
            "list with workers": "--vendors -n2 gates/runtime",
            "list with a broken one": f"--vendors {doubles}",
            "dead gap": f"gates/runtime --vendor=dead {doubles}",
            "dead gap with workers": f"gates -n2 --vendor=dead {doubles}",
            "dead gap of a selection": f"gates/runtime --vendor=dead -k acceptable {doubles}",
            "no such gate": "gates/runtime -k runtime.memory.nosuch",
            "no such gate with workers": "gates/runtime -n2 -k runtime.memory.nosuch",
            "no such test": "tests/unit/test_threads.py -k nosuch",
            "named vendor": "gates/runtime --vendor=host -k acceptable --collect-only",
            "of a map": "gates/runtime --vendor cuda --collect-only -q",
            "by id": "gates -k runtime.contract.naming --collect-only -q",
            "no path": "--vendor=host -k acceptable --collect-only -q",
        }
    )


@pytest.mark.parametrize(
    "mistake, words",
    [
        ("unknown vendor", f"no vendor 'nosuch' in docs/vendors/: known are {', '.join(known_vendors())}"),
        ("misspelt vendor", "did you mean 'host'?"),
        ("refused vendor", "'xpu' is refused as a vendor name"),
        ("no directory", "--sdk-path /nonexistent: no such directory; give the root of CUDA runtime"),
        (
            "no sdk",
            "--sdk-path /tmp: no CUDA runtime there: cuda_runtime_api.h not found in /tmp/include; "
            "give the folder that contains include/cuda_runtime_api.h",
        ),
        ("needless sdk", "--sdk-path /tmp: vendor 'host' needs no SDK; leave the option out"),
        ("needless sdk first", "--sdk-path /tmp: vendor 'host' needs no SDK; leave the option out"),
        ("no library", "FLAGOS_RUNTIME_LIBRARY=/nonexistent.so: no such file"),
        ("no ELF library", "FLAGOS_RUNTIME_LIBRARY: " + str(ROOT / "pytest.ini") + " is not an ELF library"),
        ("broken descriptor", "broken/vendor.yaml:2: title: expected a string, found '5'"),
        ("no time", "--gate-timeout: expected seconds, more than 0 and less than a day, found '0'"),
        ("no number", "--gate-timeout: expected seconds, more than 0 and less than a day, found 'soon'"),
        ("misspelt path", "file or directory not found: gates/runtim"),
    ],
)
def test_a_wrong_option_is_one_message_before_anything_runs(short, mistake, words):
    run = short[mistake]
    assert run.status == 4
    assert words in run.output
    assert "Traceback" not in run.output
    assert "unrecognized arguments" not in run.output


@pytest.mark.parametrize("name", ["list", "list with workers"])
def test_vendors_are_listed_and_nothing_runs(short, name):
    assert short[name].status == 0
    lines = short[name].output.splitlines()
    assert [line.split()[0] for line in lines] == known_vendors()
    assert any(re.fullmatch(r"host +simulated device \(simulated\), gaps: 1", line) for line in lines)


def test_a_broken_descriptor_does_not_hide_the_other_vendors(short):
    run = short["list with a broken one"]
    assert run.status == 4
    assert "broken/vendor.yaml:2: title: expected a string, found '5'" in run.output
    assert re.search(r"^host +simulated device \(simulated\), gaps: 5$", run.output, re.M)
    assert "Traceback" not in run.output


@pytest.mark.parametrize("name", ["dead gap", "dead gap with workers", "dead gap of a selection"])
def test_a_gap_that_names_no_gate_is_a_mistake_of_the_descriptor(short, name):
    assert short[name].status == 4
    (line,) = [line for line in short[name].output.splitlines() if line]
    end = "no gate has the id 'runtime.memory.round_tripp'; did you mean 'runtime.memory.round_trip'? see docs/gates.md"
    assert line.endswith(f"dead/vendor.yaml:14: gaps: {end}")


@pytest.mark.parametrize("name", ["no such gate", "no such gate with workers"])
def test_a_selection_that_no_gate_matches_is_told(short, name):
    assert short[name].status == 5
    assert "no gate matches -k 'runtime.memory.nosuch'; see docs/gates.md" in short[name].output
    assert short["no such test"].status == 5
    assert "no gate matches" not in short["no such test"].output


# ---- collection --------------------------------------------------------------------------------------------


def listed(run: Run) -> list[str]:
    return [line for line in run.output.splitlines() if "::" in line]


@pytest.fixture(scope="module")
def collections() -> dict[str, Run]:
    only = ("--collect-only", "-q")
    places = {
        "path first": (("gates", "--vendor", "host"), ROOT),
        "option first": (("-n2", "--vendor=host", "gates"), ROOT),
        "elsewhere": ((ROOT / "gates", "--vendor=host", "--rootdir", ROOT), Path("/")),
    }
    return {
        name: run_pytest(*arguments, *only, cwd=cwd, PYTHONHASHSEED=str(seed))
        for seed, (name, (arguments, cwd)) in enumerate(places.items())
    }


def test_options_work_in_every_position_and_from_everywhere(collections):
    for name, run in collections.items():
        assert run.status == 0, f"{name}: {run.output[-1000:]}"
    assert len(listed(collections["path first"])) > 200


def test_options_work_without_a_path(short):
    assert short["no path"].status == 0
    assert "gates/runtime/test_contract.py::test_vendor_name_is_acceptable" in short["no path"].output


def test_a_gate_is_selected_by_the_id_that_the_report_shows(short):
    assert listed(short["by id"]) == ["gates/runtime/test_contract.py::test_vendor_name_is_acceptable"]


def test_a_map_is_held_against_its_sdk_before_what_was_generated_from_it(short):
    """A wrong line of the map is in the generated files as well, and only the first gates name the line."""
    files = [re.sub(r"\[.*|.*::", "", line) for line in listed(short["of a map"])]
    (at,) = {files.index(name) for name in files if name == "test_function_is_declared_as_the_map_says"}
    assert files[0] == "test_map_is_committed_and_without_open_questions"
    assert at < files.index("test_slot_is_defined_in_its_file") < files.index("test_function_does_what_the_map_says")


def test_collection_is_the_same_for_every_hash_seed(collections):
    first, *others = (listed(run) for run in collections.values())
    for other in others:
        assert other == first


def test_ids_are_readable_and_unique(collections):
    ids = listed(collections["path first"])
    assert len(set(ids)) == len(ids)
    assert not [i for i in ids if re.search(r"0x[0-9a-f]{6,}|<(object|function)| at 0x", i)]


@pytest.fixture(scope="module")
def same_names(tmp_path_factory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("elsewhere")
    files = [PROBES / name / "same_name.py" for name in ("first", "second")]
    return run_pytest(*files, junit=folder / "junit.xml", cwd=folder), folder


def test_two_gate_folders_may_have_files_of_one_name(same_names):
    run, _ = same_names
    assert "4 passed" in run.output
    assert run.status == 0
    assert re.search(r"^PASS +probe\.first +2$", run.output, re.M)
    assert re.search(r"^PASS +probe\.second +2$", run.output, re.M)


def test_a_slow_first_call_does_not_fail_a_property_and_nothing_is_left_behind(same_names):
    run, folder = same_names
    assert "DeadlineExceeded" not in run.output
    assert "Flaky" not in run.output
    assert not (folder / ".hypothesis").exists()


def test_hypothesis_is_repeatable_and_keeps_its_files_out_of_the_tree():
    assert settings().deadline is None
    assert settings().derandomize or settings().max_examples == 1000  # the profile "explore" looks for new examples
    assert settings().print_blob
    assert storage_directory("examples").path.is_relative_to(ROOT / "build")


# ---- the gates themselves --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_gates_know_no_vendor(path):
    """They ask for capabilities."""
    names = "|".join({*known_vendors(), "cuda", "kunlun", "ascend", "dcu", "opencl", "npu"})
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(rf"""torch\.cuda\b|["']({names})(:\d+)?["']""", line)
    ]
    assert not found


def test_gates_that_want_a_second_device_ask_for_it():
    """So that a chip which never has one declares a gap, where another machine would have to be found otherwise."""
    wanting = {
        ast.literal_eval(mark.args[0])
        for path in GATES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and "second_device" in {argument.arg for argument in node.args.args}
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.gate"
    }
    assert wanting == {gate.id for gate in list_gates() if "several_devices" in gate.requires}
    assert len(wanting) > 20


@pytest.mark.parametrize("path", GATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_gates_skip_only_with_a_cause(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name not in ("pytest.skip", "pytest.xfail"), (
                f"{path.name}:{node.lineno}: end a gate by not_run(cause)"
            )
            assert "mark.skip" not in name and "mark.xfail" not in name, f"{path.name}:{node.lineno}: declare a gap"
            if name in ("not_run", "NotRun"):
                assert re.match(r"f?['\"](needs|blocked)\b.{8,}", ast.unparse(node.args[0])), (
                    f"{path.name}:{node.lineno}"
                )


@pytest.mark.parametrize("path", GATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_gates_touch_the_runtime_only_in_their_own_process(path):
    """A fixture runs in pytest's process: a crash in it would end the session."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and any("pytest.fixture" in ast.unparse(d) for d in node.decorator_list):
            wants = {argument.arg for argument in node.args.args}
            assert not wants & {"runtime", "loaded", "device"}, f"{path.name}:{node.lineno}: {node.name}"


@pytest.mark.parametrize("path", GATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_test_of_a_suite_is_a_gate_with_a_criterion(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = [d for d in node.decorator_list if ast.unparse(d).startswith("pytest.mark.gate(")]
            assert len(marks) == 1, f"{path.name}:{node.lineno}: {node.name}"
            assert re.match(rf"{path.parent.name}\.\w+\.\w+$", ast.literal_eval(marks[0].args[0]))
            assert (ast.get_docstring(node) or "").startswith("Exit criterion:"), f"{path.name}:{node.lineno}"
