"""A gate that passes, while the torch of this Python becomes another: PROBE_TORCH is a folder like site-packages."""

import os
from pathlib import Path

import pytest

TORCH = Path(os.environ["PROBE_TORCH"], "torch")


@pytest.mark.gate("probe.installs")
def test_installs():
    if os.environ["PROBE_INSTALLS"] == "another build":
        (TORCH / "version.py").write_text("__version__ = '2.13.0+cu130'\n")
    elif os.environ["PROBE_INSTALLS"] == "another place":
        TORCH.rename(TORCH.with_name("gone"))
