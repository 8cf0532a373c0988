"""Root of the test suites: the gates' options and report live in `gates.plugin`, so that they exist for every path."""

import os
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.database import DirectoryBasedExampleDatabase

pytest_plugins = ["gates.plugin", "pytester"]

# Device calls are slow the first time, and a verdict must be the same on every machine: no deadline, no random seed.
# What hypothesis keeps stays out of the tree, wherever pytest is started.
HYPOTHESIS = Path(__file__).parent / "build/hypothesis"
set_hypothesis_home_dir(HYPOTHESIS)
settings.register_profile(
    "flagos",
    deadline=None,
    derandomize=True,
    print_blob=True,
    database=None,
)
settings.register_profile(
    "explore",  # HYPOTHESIS_PROFILE=explore: new examples each run, failures kept for the next
    deadline=None,
    max_examples=1000,
    print_blob=True,
    database=DirectoryBasedExampleDatabase(HYPOTHESIS / "examples"),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "flagos"))
