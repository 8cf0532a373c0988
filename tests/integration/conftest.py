"""Helpers of the tests that run on the real build with the simulated `host` device."""

import gc
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that makes torch_fl look installed, with its entry point, whatever the environment has."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "torch_fl-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_fl\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\ntorch_fl = torch_fl._backend:_autoload\n")
    return folder


@pytest.fixture
def run_python(site: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a new interpreter; keywords are environment variables. Fails the test unless it exits with `status`."""

    def run(code: str, *, status: int = 0, package: Path = REPOSITORY, **environment: str):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("FLAGOS_", "TORCH_DEVICE"))}
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
            env=clean | {"PYTHONPATH": f"{package}{os.pathsep}{site}"} | environment,
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
        return made.setdefault(device, Busy(device))

    return get
