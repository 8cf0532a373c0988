"""Helpers of the tests that run on the real build with the simulated `host` device."""

import contextlib
import gc
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

# The device, also where a test imports torch_fl before torch and it is not installed. `pytest -m SUITE` loads this too, and
# may be what builds it.
with contextlib.suppress(ImportError):
    import torch_fl.flagos  # noqa: F401

REPOSITORY = Path(__file__).resolve().parents[2]

# Whatever else is built here and finds its device: detection would prefer it.
os.environ["FLAGOS_ACCELERATOR"] = VENDOR = "host"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that makes torch_fl look installed, with its entry point, whatever the environment has."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "torch_fl-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_fl\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\ntorch_fl = torch_fl._backend:_autoload\n")
    return folder


WARM = """
import json, os, signal, sys, traceback
import torch, torch_fl
for line in sys.stdin:
    request = json.loads(line)
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        for stream, path in ((0, os.devnull), (1, request["stdout"]), (2, request["stderr"])):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), stream)
        os.chdir(request["cwd"])
        os.environ.update(request["environment"])
        try:
            exec(compile(request["code"], "<test>", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.fixture(scope="session")
def warm_python(site: Path):
    """A process that has imported torch and torch_fl, used no device, and forks a child for each test: what needs its own
    process but no import of its own costs milliseconds."""
    with subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", WARM],
        env=_clean_environment(site),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def run_forked(warm_python, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """As run_python, in a forked child of the warm process; the child ends without Python's exit handlers."""

    def run(code: str, *, status: int = 0, **environment: str):
        request = {"code": textwrap.dedent(code), "cwd": str(tmp_path), "environment": environment}
        files = {name: str(tmp_path / f"{name}.txt") for name in ("stdout", "stderr")}
        for path in files.values():
            Path(path).write_text("")
        print(json.dumps(request | files), file=warm_python.stdin, flush=True)
        found = int(warm_python.stdout.readline())
        stdout, stderr = (Path(files[name]).read_text() for name in ("stdout", "stderr"))
        assert found == status, f"exit status {found}\n{stdout}\n{stderr}"
        return subprocess.CompletedProcess(code, found, stdout, stderr)

    return run


def _clean_environment(site: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("FLAGOS_", "TORCH_DEVICE"))}
    return clean | {"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{site}", "FLAGOS_ACCELERATOR": VENDOR}


@pytest.fixture
def run_python(site: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a new interpreter; keywords are environment variables. Fails the test unless it exits with `status`."""

    def run(code: str, *, status: int = 0, **environment: str):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
            env=_clean_environment(site) | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture
def clean_memory():
    """No cached device memory and fresh peaks before the test; nothing but what it holds counts in it."""
    import torch_fl

    gc.collect()
    torch_fl.empty_cache()
    for device in range(torch_fl.device_count()):
        torch_fl.reset_peak_memory_stats(device)
        torch_fl.reset_accumulated_memory_stats(device)


class Busy:
    """Keeps a stream busy for a while: the host device takes tens of milliseconds for a memset of this size."""

    def __init__(self, device: str) -> None:
        import torch

        self.scratch = torch.empty(64 << 20, dtype=torch.uint8, device=device)

    def occupy(self, times: int = 16) -> None:
        for _ in range(times):
            self.scratch.zero_()


@pytest.fixture(scope="session")
def busy() -> Callable[[str], Busy]:
    made: dict[str, Busy] = {}

    def get(device: str = "flagos:0") -> Busy:
        if device not in made:
            made[device] = Busy(device)
        return made[device]

    return get
