"""The pytest plugin of the gates: options, fixtures, isolation, statuses, report and JUnit properties.

It is loaded by the root conftest, so that its options exist for every path and in every order. A *gate* is a test with
the marker `gate(id)`; everything here leaves other tests alone.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shlex
import time
from collections.abc import Generator
from importlib.machinery import PathFinder
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import pytest
from filelock import FileLock

from gates import evidence
from gates.abi import Runtime
from gates.facts import SdkFacts, read_sdk_facts
from gates.isolation import Outcome, Request, WarmProcess, presentable
from gates.platform_tests import Keeper
from gates.sources import definitions_of
from gates.status import Gapped, NotRun, Status, not_run
from generators.aten import AtenError, environments
from generators.aten.lines import TorchLine, is_installed
from generators.build import BuildError, Built, build_torch_side, build_vendor
from generators.contract import read_contract
from generators.files import ROOT, digest
from generators.map import MapError, RuntimeMap, load_map, map_path
from generators.native_op import NativeError
from generators.native_op.table import read_table, table_path
from generators.recon.headers import ReconError
from generators.source import identify_source, write_manifest
from generators.vendor import (
    CAPABILITIES,
    FoundSdk,
    Gap,
    Vendor,
    VendorError,
    find_operator_library,
    find_sdk,
    known_vendors,
    load_vendor,
    simulation_of,
    wrong_architecture,
)
from generators.vendor_torch import VendorTorchError, open_vendor_torch

SETUP = pytest.StashKey["Setup"]()
WARM = pytest.StashKey[WarmProcess]()
RESULTS = pytest.StashKey["evidence.Results"]()
SUITES = sorted(path.name for path in (ROOT / "gates").glob("*/") if any(path.glob("test_*.py")))
DEFAULT_VENDOR = "host"
GATE_TIMEOUT = 30.0  # seconds, unless --gate-timeout says otherwise
BLOCKED = pytest.StashKey[dict[int, tuple[BaseException, str]]]()


# ---- options -------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("torch_fl", "torch_fl chip bring-up")
    group.addoption("--vendor", metavar="NAME", help=f"vendor to prove (default: {DEFAULT_VENDOR}, which is simulated)")
    group.addoption("--sdk-path", type=Path, metavar="DIR", help="root of the vendor's SDK")
    group.addoption(
        "--recon",
        action="store_true",
        help="instead of running gates, propose a map of the SDK, or with --op-lib entries of the table of operators, and "
        "write that to docs/vendors/VENDOR",
    )
    group.addoption("--vendors", action="store_true", help="list the known vendors and exit")
    group.addoption("--certify", action="store_true", help="for a lab's CI: a gate that is NOT RUN fails the run")
    group.addoption(
        "--record", action="store_true", help="write what the gates measured to docs/vendors/VENDOR/evidence"
    )
    group.addoption(
        "--torch",
        metavar="X.Y.Z",
        help="the torch line to prove; where another is installed, in an environment made for it (version_port)",
    )
    group.addoption(
        "--vendor-torch",
        type=Path,
        metavar="DIR_OR_WHEEL",
        help="the vendor's build of torch: a wheel, or where it is installed (cuda_compat)",
    )
    group.addoption(
        "--op-lib",
        type=Path,
        metavar="FILE",
        help="the vendor's library of operators (native_op); else where its table says",
    )
    group.addoption("--category", metavar="NAME", help="measure this category of operators only (native_op)")
    group.addoption(
        "--force-route",
        metavar="REASON",
        help="why native operators are wanted although the other route is open or was not looked at (native_op)",
    )
    group.addoption("--fix", action="store_true", help="write what a fix loop converged to (version_port)")
    group.addoption(
        "--gate-timeout",
        type=_seconds,
        default=GATE_TIMEOUT,
        metavar="SECONDS",
        help=f"limit for one gate (default: {GATE_TIMEOUT:g})",
    )


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (value := float(text)) < 86400:
            return value
    raise argparse.ArgumentTypeError(f"expected seconds, more than 0 and less than a day, found '{text}'")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if config.option.recon:
        return _recon(config.option.vendor or DEFAULT_VENDOR, config.option.sdk_path, config.option.op_lib)
    if config.option.vendors:
        return _list_vendors()
    if config.option.torch:
        return _run_on_line(config)
    return None


def _run_on_line(config: pytest.Config) -> int | None:
    """Run this command in the environment of the torch that --torch names; None where that is this one."""
    try:
        if is_installed(config.option.torch):
            return None
        with environments.held_environment(config.option.torch) as environment:
            return _run_in(environment, config)
    except AtenError as error:
        raise pytest.UsageError(str(error)) from None


def _run_in(environment: environments.Environment, config: pytest.Config) -> int:
    arguments = [text.replace(str(ROOT), str(environment.tree)) for text in config.invocation_params.args]
    if config.option.xmlpath:
        arguments.append(f"--junitxml={config.invocation_params.dir / config.option.xmlpath}")
    source, manifest = identify_source(), environment.folder / "manifest.txt"
    commit = {"FLAGOS_SOURCE_COMMIT": source.commit}
    if write_manifest(manifest, source):
        commit["FLAGOS_SOURCE_MANIFEST"] = str(manifest)
    before = environments.contents(environment.tree)
    status = environment.run(["-m", "pytest", *arguments], config.invocation_params.dir, **commit)
    if config.option.fix or config.option.record:
        for name in environments.bring_back(environment, before):
            print(f"written: {name}")
    return status


def _recon(vendor: str, sdk_path: Path | None, op_lib: Path | None) -> int:
    if op_lib is not None:
        from generators.native_op.propose import main as propose  # only here: gates do without it

        return propose(["--vendor", vendor, "--op-lib", str(op_lib), "--write"])
    if sdk_path is None:
        raise pytest.UsageError("--recon needs the SDK, --sdk-path DIR, or a library of operators, --op-lib FILE")
    from generators.recon.__main__ import main  # only here: gates do without it

    return main(["--vendor", vendor, "--sdk-path", str(sdk_path)])


def _list_vendors() -> int:
    status = 0
    for name in known_vendors():
        try:
            vendor = load_vendor(name)
        except VendorError as error:  # one broken descriptor does not hide the others
            print(f"{name:12} ERROR", *str(error).splitlines(), sep="\n    ")
            status = int(pytest.ExitCode.USAGE_ERROR)
            continue
        gaps = f", gaps: {len(vendor.gaps)}" if vendor.gaps else ""
        print(f"{name:12} {vendor.title}{' (simulated)' if vendor.simulated else ''}{gaps}")
    return status


def torch_found() -> str:
    """The torch that an import would find now: its version with the build's suffix, and where it is."""
    importlib.invalidate_caches()
    spec = PathFinder.find_spec("torch")
    if spec is None or spec.origin is None:
        return "none"
    try:
        return str(TorchLine(Path(spec.origin).parent.parent))
    except AtenError as error:
        return str(error)


def _simulated_operators(vendor: Vendor, op_lib: Path | None) -> str:
    """What the vendor's library of operators says of itself if it only simulates one. That none is found, gates tell."""
    try:
        return find_operator_library(read_table(table_path(vendor.name)), op_lib).simulated
    except NativeError:
        return ""
    except VendorError:
        if op_lib is not None:
            raise
        return ""


class Setup:
    """What one run is about, settled before anything is collected."""

    def __init__(self, config: pytest.Config) -> None:
        named = config.option.vendor is not None
        self.chosen = "named by --vendor" if named else "the default; --vendor NAME is another, --vendors lists them"
        config.option.vendor = config.option.vendor or DEFAULT_VENDOR
        self.vendor = load_vendor(config.option.vendor)
        self.torch = version("torch")
        self.torch_found = torch_found()
        self.source = identify_source()
        self.sdk: FoundSdk | None = None
        self.sdk_problem = ""
        try:
            self.sdk = find_sdk(self.vendor, config.option.sdk_path)
        except VendorError as error:
            if config.option.sdk_path is not None:  # what was named must be right, what was looked for may be absent
                raise
            self.sdk_problem = str(error)
        file = os.environ.get("FLAGOS_RUNTIME_LIBRARY")
        self.given_library = Path(file).resolve() if file else None
        if self.given_library and not self.given_library.is_file():
            raise VendorError(
                f"FLAGOS_RUNTIME_LIBRARY={file}: no such file; name a built libflagos_<vendor>.so or unset it"
            )
        if self.given_library and (problem := wrong_architecture(self.given_library)):
            raise VendorError(f"FLAGOS_RUNTIME_LIBRARY: {problem}; name a built libflagos_<vendor>.so or unset it")

        given = simulation_of(self.given_library) if self.given_library else ""
        own = self.sdk.simulated if self.sdk else ""
        self.simulated_sdk = own or given or _simulated_operators(self.vendor, config.option.op_lib)  # in its own words
        if config.option.vendor_torch is not None:
            open_vendor_torch(config.option.vendor_torch)  # what was named must be one

    def describe(self, config: pytest.Config) -> dict[str, str]:
        sdk = "not found" if self.vendor.sdk else "none needed"
        if self.vendor.sdk and self.sdk:
            sdk = f"{self.vendor.sdk.name}, {self.sdk.library.resolve().name} at {self.sdk.path}"
        if self.simulated_sdk:
            sdk += f" ({self.simulated_sdk})"
        return {
            "vendor": self.vendor.name + (" (simulated device)" if self.vendor.simulated else ""),
            "sdk": sdk,
            "torch": self.torch,
            **({"line": f"torch {config.option.torch}"} if config.option.torch else {}),
            **({"vendor torch": config.option.vendor_torch.name} if config.option.vendor_torch else {}),
            "commit": str(self.source),
            "mode": " ".join(name for name in ("certify", "fix") if config.getoption(name)) or "check",
        }


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "gate(id, requires=()): one exit criterion, with a stable id and the capabilities that it needs: "
        + ", ".join(CAPABILITIES),
    )
    for suite in SUITES:
        config.addinivalue_line("markers", f"{suite}: the gates of gates/{suite}; `pytest -m {suite}` is that suite")
    if config.option.markexpr in SUITES and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        config.args[:] = [str(ROOT / "gates" / config.option.markexpr)]
        config.option.markexpr = ""
    config.addinivalue_line("markers", "isolated: run this gate in a process of its own although it uses no runtime")
    try:
        config.stash[SETUP] = Setup(config)
    except VendorTorchError as error:
        raise pytest.UsageError(f"--vendor-torch {error}") from None
    except VendorError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[RESULTS] = evidence.Results()
    config.stash[BLOCKED] = {}


def pytest_report_header(config: pytest.Config) -> list[str]:
    facts = config.stash[SETUP].describe(config)
    lines = [
        f"vendor: {facts['vendor']}, {config.stash[SETUP].chosen}",
        " · ".join(f"{k}: {v}" for k, v in facts.items() if k != "vendor"),
    ]
    lines += config.stash[SETUP].sdk_problem.splitlines()
    switches = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("FLAGOS_"))
    return lines + ([f"environment: {' '.join(switches)}"] if switches else [])


# ---- collection ----------------------------------------------------------------------------------


def gate_of(item: pytest.Item) -> pytest.Mark | None:
    return item.get_closest_marker("gate")


def pytest_itemcollected(item: pytest.Item) -> None:
    """A gate's id, as the report shows it, selects it with -k, its suite with -m."""
    if mark := gate_of(item):
        item.extra_keyword_matches.add(mark.args[0])
        if (suite := mark.args[0].partition(".")[0]) in SUITES:
            item.add_marker(suite)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Cheap gates first: those that hold the map against the SDK, for what they find is in all that is generated; those that
    read other files, then those that call the runtime, then those that need torch. A hand-written vendor has no map to be
    compared with."""
    vendor = config.stash[SETUP].vendor
    if vendor.over and any(mark.args[0].startswith("runtime.") for item in items if (mark := gate_of(item))):
        raise pytest.UsageError(
            f"{vendor.name} runs on the runtime of {vendor.over}: pytest gates/runtime --vendor {vendor.over}"
        )
    if vendor.handwritten:
        items[:] = [
            item for item in items if not gate_of(item) or "runtime_map" not in getattr(item, "fixturenames", ())
        ]

    def cost(item: pytest.Item) -> int:
        names = getattr(item, "fixturenames", ()) if gate_of(item) else ()
        of_map = "runtime_map" in names and "definitions" not in names
        return 2 if "device" in names else 1 if "library" in names else -1 if of_map else 0

    items.sort(key=cost)


# ---- fixtures ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def vendor(pytestconfig: pytest.Config) -> Vendor:
    """The vendor under test."""
    return pytestconfig.stash[SETUP].vendor


@pytest.fixture(scope="session")
def sdk(pytestconfig: pytest.Config) -> FoundSdk | None:
    """The vendor's SDK; None for a vendor that needs none."""
    setup = pytestconfig.stash[SETUP]
    if setup.sdk_problem:
        not_run(f"needs SDK: {setup.sdk_problem}")
    return setup.sdk


@pytest.fixture(scope="session")
def definitions(vendor: Vendor, sdk: FoundSdk | None) -> dict[str, list[tuple[str, Any]]]:
    """Slot or virtual -> (file, libclang's cursor of its definition), from the vendor's sources."""
    contract = read_contract()
    return definitions_of(vendor, sdk, (*contract.slots, *contract.virtuals))


@pytest.fixture(scope="session")
def runtime_map(vendor: Vendor) -> RuntimeMap:
    """The vendor's map. Gates that want it are not collected for a hand-written vendor."""
    try:
        return load_map(map_path(vendor.name))
    except MapError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def sdk_facts(runtime_map: RuntimeMap, sdk: FoundSdk | None) -> SdkFacts:
    """What the SDK at hand declares and exports."""
    assert sdk is not None, "a map states its SDK"
    try:
        return read_sdk_facts(runtime_map.sdk, sdk)
    except ReconError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def library(pytestconfig: pytest.Config, vendor: Vendor) -> Built:
    """The vendor's runtime library, built from this checkout; or the file that FLAGOS_RUNTIME_LIBRARY names, as it is."""
    setup = pytestconfig.stash[SETUP]
    if setup.given_library:
        return Built(setup.given_library, digest(setup.given_library))
    if setup.sdk_problem:
        not_run(f"needs SDK: {setup.sdk_problem}")
    try:
        return build_vendor(vendor, setup.sdk, run=_run_id(pytestconfig))
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)


def _run_id(config: pytest.Config) -> str:
    """The same in all workers of one run, another in the next run."""
    return str(getattr(config, "workerinput", {}).get("testrunuid", f"{os.getpid()}-{time.time_ns()}"))


@pytest.fixture(scope="session")
def loaded(library: Built, vendor: Vendor) -> Runtime:
    """The runtime library, whether or not there is a device. It is loaded in the gate's own process."""
    return Runtime(library.library, vendor.runtime)


@pytest.fixture(scope="session")
def device_count(request: pytest.FixtureRequest, loaded: Runtime) -> int:
    """Number of devices. None is a reason not to run; a library that does not load, or a call that fails, is a failure."""
    warm = _warm_process(request.session)
    outcome = warm.run(Request(_count_devices, {"runtime": loaded, "measured": {}}, _environment(loaded), 60.0, ()))
    if outcome.kind != "passed":
        next_step = f"pytest gates/runtime/test_contract.py --vendor {loaded.vendor}"
        pytest.fail(f"counting the devices: {_explain(outcome, next_step)}", pytrace=False)
    return outcome.measured["devices"]


def _count_devices(runtime: Runtime, measured: dict[str, Any]) -> None:
    measured["devices"] = runtime.device_count()


@pytest.fixture
def runtime(loaded: Runtime, device_count: int) -> Runtime:
    """The runtime library with at least one device."""
    _want_device(device_count, loaded.vendor)
    return loaded


@pytest.fixture(scope="session")
def some_device(request: pytest.FixtureRequest, vendor: Vendor) -> None:
    """There is a device; for a gate that uses it in processes of its own, and loads nothing."""
    _want_device(request.getfixturevalue("device_count"), vendor.name)


def _want_device(count: int, vendor: str) -> None:
    if count == 0:
        not_run(f"needs hardware: GetDeviceCount is 0; run on a machine with a device of vendor '{vendor}'")


@pytest.fixture
def second_device(runtime: Runtime, device_count: int) -> int:
    """Index of a second device."""
    if device_count < 2:
        not_run(f"needs hardware: a second device of vendor '{runtime.vendor}'; GetDeviceCount is {device_count}")
    return 1


@pytest.fixture(scope="session")
def torch_side() -> Built:
    """The torch side, up to date."""
    try:
        return build_torch_side()
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def device(runtime: Runtime, torch_side: Built) -> str:
    """The torch device type, over the runtime library under test."""
    return "flagos"


@pytest.fixture
def measured() -> dict[str, Any]:
    """Figures that a gate measured: they go into JUnit and into evidence."""
    return {}


# ---- running a gate in its own process -----------------------------------------------------------


def _environment(runtime: Runtime | None) -> dict[str, str]:
    if runtime is None:
        return {}
    return {"FLAGOS_ACCELERATOR": runtime.vendor, "FLAGOS_RUNTIME_LIBRARY": str(runtime.library)}


def _warm_process(session: pytest.Session) -> WarmProcess:
    warm = session.config.stash.get(WARM, None)
    if warm is None or not warm.alive:
        items = {item.nodeid: item for item in session.items if isinstance(item, pytest.Function) and gate_of(item)}
        warm = session.config.stash[WARM] = WarmProcess(items)
    return warm


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    uses_runtime = "loaded" in pyfuncitem.fixturenames
    if not gate_of(pyfuncitem) or not (uses_runtime or pyfuncitem.get_closest_marker("isolated")):
        return None
    config = pyfuncitem.config
    runtime = cast(Runtime | None, pyfuncitem.funcargs.get("loaded"))
    request = Request(
        pyfuncitem.nodeid,
        {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames},
        _environment(runtime),
        config.option.gate_timeout,
        ("torch", "torch_fl.flagos") if "device" in pyfuncitem.fixturenames else (),
    )
    with _exclusive(config.stash[SETUP].vendor):
        outcome = _warm_process(pyfuncitem.session).run(request)
    _measured(pyfuncitem).update(outcome.measured)
    if outcome.log:
        pyfuncitem.add_report_section("call", "stdout", outcome.log)
    if outcome.kind == "skipped":
        raise outcome.exception or NotRun("skipped")
    if outcome.kind != "passed":
        pytest.fail(_explain(outcome, _again(pyfuncitem), runtime), pytrace=False)
    return True


def _measured(item: pytest.Function) -> dict[str, Any]:
    return cast(dict[str, Any], item.funcargs.get("measured", {}))


def _exclusive(vendor: Vendor) -> contextlib.AbstractContextManager[Any]:
    """Workers share the one card, so gates on hardware do not overlap; a simulated device belongs to its process."""
    if vendor.simulated:
        return contextlib.nullcontext()
    evidence.VERDICTS.mkdir(parents=True, exist_ok=True)
    return FileLock(evidence.VERDICTS / f"{vendor.name}.lock")


def _explain(outcome: Outcome, what: str, runtime: Runtime | None = None) -> str:
    if outcome.kind == "failed":
        return outcome.text
    lines = [f"    {line}" for line in _last_words(outcome.log)]
    words = ["  last output of the process:", *lines] if lines else ["  the process printed nothing"]
    where = [f"  last call {runtime.where(outcome.last_call)}"] if runtime and outcome.last_call else []
    headline = f"{outcome.text} in or after {outcome.last_call}" if where else outcome.text
    return "\n".join(
        [headline, "  expected  the gate's process to end by itself", *where, *words, f"  next      {what}"]
    )


def _last_words(log: str) -> list[str]:
    """The end of what a process printed, and the top of the Python stack that faulthandler printed after it."""
    lines = log.strip().splitlines()
    starts = (
        i for i, line in enumerate(lines) if line.startswith(("Fatal Python error", "Current thread", "Thread 0x"))
    )
    stack = next(starts, len(lines))
    return lines[max(0, stack - 20) : stack + 20]


def _again(item: pytest.Item) -> str:
    """The command that repeats one gate."""
    option = item.config.option
    path = os.path.relpath(item.path, item.config.invocation_params.dir)
    parts = ["pytest", f"{path}::{item.name}", "--vendor", option.vendor]
    parts += ["--sdk-path", str(option.sdk_path)] if option.sdk_path else []
    parts += ["--torch", option.torch] if option.torch else []
    parts += ["--vendor-torch", str(option.vendor_torch)] if option.vendor_torch else []
    parts += ["--op-lib", str(option.op_lib)] if option.op_lib else []
    parts += ["--force-route", option.force_route] if option.force_route else []
    parts += ["--gate-timeout", f"{option.gate_timeout:g}"] if option.gate_timeout != GATE_TIMEOUT else []
    given = item.config.stash[SETUP].given_library
    return (f"FLAGOS_RUNTIME_LIBRARY={shlex.quote(str(given))} " if given else "") + shlex.join(parts)


def pytest_sessionfinish(session: pytest.Session) -> None:
    warm = session.config.stash.get(WARM, None)
    if warm is not None:
        warm.close()


# ---- statuses ------------------------------------------------------------------------------------


def _gap(item: pytest.Item) -> Gap | None:
    mark = gate_of(item)
    return (
        item.config.stash[SETUP].vendor.gap_for(mark.args[0], tuple(mark.kwargs.get("requires", ()))) if mark else None
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    gap = _gap(item)
    if gap is not None and gap.kind == "unsupported":
        raise Gapped(f"unsupported: {gap.reason}; {gap.consequence} ({gap.where})", _use_item_location=True)


def _why_not_run(item: pytest.Item, when: str, error: BaseException | None) -> str:
    """Why a gate did not run, if it did not: it says so, or a session fixture failed, which was reported for the first gate
    that needed it: pytest raises the same object again for each further one."""
    if isinstance(error, pytest.skip.Exception):
        return str(error.msg)
    if error is None or when != "setup":
        return ""
    first = item.config.stash[BLOCKED].setdefault(id(error), (error, item.nodeid))[1]
    return f"blocked by the failure of {first}" if first != item.nodeid else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    mark = gate_of(item)
    if mark is None:
        return report
    error = call.excinfo.value if call.excinfo else None
    gap = _gap(item)
    status = None
    if isinstance(error, Gapped):
        status = Status.GAP
    elif why := _why_not_run(item, call.when, error):
        status = Status.NOT_RUN
        if item.config.option.certify:
            report.outcome, report.longrepr = "failed", f"NOT RUN, which --certify does not accept: {why}"
        elif report.outcome == "failed":  # blocked
            report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"NotRun: {why}")
    elif error is not None:
        status = Status.FAIL
        if gap is not None and call.when == "call":
            status, report.outcome = Status.GAP, "skipped"
            report.wasxfail = f"expected failure: {gap.reason}; {gap.consequence} ({gap.where})"
    elif call.when == "call":
        status = Status.PASS
        if gap is not None:
            status, report.outcome = Status.FAIL, "failed"
            report.longrepr = (
                f"{mark.args[0]} passes although {gap.where} expects it to fail\n  next      delete that entry"
            )
    if call.when == "call" and isinstance(item, pytest.Function):
        item.user_properties += _measured(item).items()
    if status is not None:
        item.user_properties[:] = [p for p in item.user_properties if p[0] not in ("gate", "status")]
        item.user_properties += [("gate", mark.args[0]), ("status", str(status))]
    item.user_properties[:] = [(name, presentable(str(value))) for name, value in item.user_properties]
    report.user_properties = list(item.user_properties)
    return _presentable(report)


def _presentable(report: pytest.TestReport) -> pytest.TestReport:
    """Nothing that a vendor prints may break the report, its XML or the protocol between the workers."""
    whole = report.longrepr
    if isinstance(whole, tuple):
        report.longrepr = (*whole[:2], presentable(whole[2]))
    elif whole is not None and (text := presentable(str(whole))) != str(whole):
        report.longrepr = text
    if hasattr(report, "wasxfail"):
        report.wasxfail = presentable(report.wasxfail)
    report.sections = [(name, presentable(text)) for name, text in report.sections]
    return report


# ---- report, on the controller -------------------------------------------------------------------


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


class Reporter:
    """Collects gates' ends from all workers and states the verdict."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.started = time.monotonic()
        self.results = config.stash[RESULTS]
        self.platform = Keeper()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.platform.add(report)
        properties = {name: str(value) for name, value in report.user_properties}
        if report.when not in ("setup", "call", "teardown"):  # xdist's word for the test that a worker died in
            self.results.lost.append(report.nodeid)
        if "gate" in properties and (report.when == "teardown" or report.outcome != "passed"):
            self.results.add(report.nodeid, properties, _first_line(report))
        if "gate" in properties and report.when == "teardown" and report.failed:
            self.results.add(report.nodeid, properties | {"status": str(Status.FAIL)}, _first_line(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.results.lost.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        setup, results = self.config.stash[SETUP], self.results
        if session.exitstatus == pytest.ExitCode.OK:
            self.platform.finish(self.config)
        if not results.cases:
            return
        if (found := torch_found()) != setup.torch_found:
            results.void = f"torch changed during the run: it was {setup.torch_found}, it is {found}"
        facts = setup.describe(self.config) | evidence.provenance(setup.vendor, setup.sdk, setup.given_library)
        facts |= {"hardware": setup.simulated_sdk, "simulated": "true"} if setup.simulated_sdk else {}
        for name, value in (facts | {"verdict": results.verdict}).items():
            _add_suite_property(self.config, name, value)
        if results.verdict in ("FAIL", "NOTHING RAN") and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)  # not by Ctrl-C, say
        stopped = session.shouldstop or session.shouldfail or results.lost or not ended
        complete = results.whole = evidence.covers_suite(self.config) and not stopped
        if complete:
            evidence.keep_verdict(results, facts)
        if self.config.option.record:
            results.record_note = evidence.record(results, facts, setup.source, complete)
            if not results.recorded:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, exitstatus: int
    ) -> Generator[None, None, None]:
        yield  # the verdict comes last, after pytest's own summaries
        results, option = self.results, self.config.option
        nothing = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        if nothing and option.keyword and evidence.within_suites(self.config):
            terminalreporter.write_line(f"no gate matches -k '{option.keyword}'; see docs/gates.md", red=True)
        if not results.cases:
            return
        vendor, simulated = self.config.stash[SETUP].vendor, self.config.stash[SETUP].simulated_sdk
        terminalreporter.section(f"gates: {', '.join(results.suites)} · {vendor.name}")
        for status, label, count, detail in results.lines():
            style = {"PASS": "green", "FAIL": "red", "GAP": "yellow", "NOT RUN": "yellow"}[status]
            terminalreporter.write(f"{status:8} ", **{style: True})
            terminalreporter.write(f"{label:36} {count:>4}  {detail}".rstrip() + "\n")
        for line in results.record_note.splitlines():
            terminalreporter.write_line(line)
        good = results.verdict == "PASS"
        terminalreporter.write("VERDICT  ", bold=True)
        words = f"{vendor.name}: {results.explained} in {time.monotonic() - self.started:.0f} s"
        words += f"; {simulated}" if simulated else ""
        terminalreporter.write(words + "\n", **{"green" if good else "red": True})


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    if not _is_worker(session.config):
        session.config.pluginmanager.register(Reporter(session.config), "flagos_reporter")


def _first_line(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        text = report.longrepr[2].partition(": ")[2]  # "Skipped: why", "gates.status.NotRun: why"
    else:
        text = getattr(report, "wasxfail", None) or str(report.longrepr or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = next((f"; {' '.join(line.split())}" for line in lines if line.startswith("found ")), "")
    raised = (line.removeprefix("E ").strip() for line in lines if line.startswith("E "))  # under a pytest traceback
    return next(raised, lines[0] if lines else "") + found


def _add_suite_property(config: pytest.Config, name: str, value: str) -> None:
    """pytest's own `record_testsuite_property` is lost under xdist (pytest#7767)."""
    from _pytest.junitxml import xml_key

    xml = config.stash.get(xml_key, None)
    if xml is not None:
        xml.add_global_property(name, value)
