"""A pytest plugin (`-p tests.unit.doubles`) that replaces what a run would take from the machine or from the tree.

PROBE_DESCRIPTORS=DIR     vendors' descriptors are DIR/<vendor>/vendor.yaml, and may name the gates of the probes
PROBE_SOURCE=COMMIT[+]    the commit under test; with a plus, a file is modified
PROBE_BUILD=DIR           libraries are built below DIR; building host takes a moment and copies a file, any other fails
"""

import os
import shutil
import sys
import time
from pathlib import Path

from generators import build, gates, source, vendor

if descriptors := os.environ.get("PROBE_DESCRIPTORS"):
    vendor.DESCRIPTORS = Path(descriptors)
    vendor.list_gates = lambda: [*gates.list_gates(), *gates.gates_of(Path(__file__).parent / "probes/statuses.py")]
    vendor.load_vendor.__defaults__ = (Path(descriptors),)
    vendor.known_vendors.__defaults__ = (Path(descriptors),)

if commit := os.environ.get("PROBE_SOURCE"):
    found = source.Source(commit.removesuffix("+"), ("csrc/modified.cc",) if commit.endswith("+") else ())
    source.identify_source = lambda: found
    if "gates.plugin" in sys.modules:
        sys.modules["gates.plugin"].identify_source = source.identify_source

if folder := os.environ.get("PROBE_BUILD"):
    real = build.LIBRARIES / "libflagos_host.so"
    build.LIBRARIES, build.BUILD = Path(folder) / "lib", Path(folder) / "build"

    def slow_build(source, directory, **settings):
        time.sleep(0.5)
        if settings["FLAGOS_VENDOR"] != "host":
            raise build.BuildError("build failed: a compiler's message")
        build.LIBRARIES.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(real, build.LIBRARIES / real.name)

    build._cmake = slow_build
