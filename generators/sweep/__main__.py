"""Run PyTorch's own samples on a vendor's device and compare with the CPU; see generators.sweep.

Prints a line of JSON for each entry (its name, `passed`, `failed` or `excluded`, how often each kind of check was made, what
went wrong, and the operators that ran on the device, by what ran them), then one with what all of them prove. The exit status
is 1 if an entry failed, or if an operator fell back although it was routed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from generators.build import LIBRARIES
from generators.files import ROOT, digest, write_if_changed
from generators.source import identify_source
from generators.sweep import SUITES, SweepError
from generators.sweep.findings import EVIDENCE, Findings, State, grouped, render_conf
from generators.sweep.workers import Sweep, routable
from generators.vendor import DESCRIPTORS, Vendor, VendorError, hardware_of, load_vendor
from torch_fl.conf import (
    CONF,
    ConfError,
    conf_in_use,
    conf_path,
    operators_of_torch,
    read_conf,
    render_routes,
    route_of,
)
from torch_fl.preload import installed_torch

ON_HARDWARE = 4  # a device runs one process at a time: 15 on an H200 came half as far as 4


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m generators.sweep", description=__doc__.splitlines()[0])
    parser.add_argument(
        "suites", nargs="*", default=SUITES, metavar="SUITE[:N]", help=f"{', '.join(SUITES)}; each N-th entry"
    )
    parser.add_argument("--vendor", default="host", metavar="NAME", help="whose device (default: host)")
    parser.add_argument(
        "--routes",
        choices=("conf", "all", "none"),
        default="conf",
        help="what is routed: what the vendor's conf says (default), every operator that can be, or nothing",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help=f"processes at a time (default: one a core, on hardware {ON_HARDWARE})"
    )
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep results there, and go on where they end")
    parser.add_argument(
        "--write-conf", action="store_true", help="write the vendor's conf from what --routes all found"
    )
    parser.add_argument("--record", action="store_true", help="keep what a whole run found as the vendor's evidence")
    options = parser.parse_args()
    if unknown := [text for text in options.suites if not re.fullmatch(f"({'|'.join(SUITES)})(:[1-9][0-9]*)?", text)]:
        parser.error(f"'{unknown[0]}' is no SUITE[:N]; the suites are {', '.join(SUITES)}")
    options.whole = tuple(options.suites) == SUITES
    if options.write_conf and not (options.whole and options.routes == "all"):
        parser.error("--write-conf wants --routes all and every suite, whole: what no sample calls is not listed")
    return options


def sweep(options: argparse.Namespace, vendor: Vendor, folder: Path) -> tuple[Findings, dict[str, str]]:
    """Run what is not in the state yet, and print each result. Returns what all prove, and why operators cannot be routed."""
    os.environ["FLAGOS_ACCELERATOR"] = vendor.name
    key = vendor.dispatch_key
    route, kernels = route_of(key), key.lower()
    names, others = routable(kernels) if options.routes != "none" else ([], {})
    if options.routes == "conf":
        conf = read_conf(conf_in_use(vendor.name))
        names = [name for name in names if conf.routes.get(name) == route]
    path = folder / "swept.conf"
    path.write_text(render_routes(names, route), encoding="utf-8")
    os.environ[CONF] = str(path)
    state = State(options.keep, inputs_of(vendor, names))
    for result in state.results:
        print(json.dumps(result))
    jobs = options.jobs or (os.cpu_count() or 1 if vendor.simulated else ON_HARDWARE)
    whole = Sweep(kernels if names else "cpu", options.suites, jobs)
    todo = [entry for entry in whole.entries if not state.has(f"{entry[0]} {entry[2]}")]
    for number, result in enumerate(whole.run(todo), start=1):
        state.add(result)
        print(json.dumps(result), flush=True)
        if sys.stderr.isatty():
            print(f"\r{number} of {len(todo)}: {result['name'][:50]:50}", end="", file=sys.stderr, flush=True)
    return Findings(state.results, key, names), others


def inputs_of(vendor: Vendor, names: list[str]) -> dict[str, str]:
    """What a result depends on."""
    built = [*LIBRARIES.glob("*.so"), *LIBRARIES.parent.glob("_C.*")]
    checks = [*Path(__file__).parent.glob("*.py"), ROOT / "gates/operators.py"]
    return {
        "vendor": vendor.name,
        "hardware": hardware_of(vendor),
        "torch": installed_torch()[1],
        "routes": " ".join(names),
        **{file.name: digest(file) for file in sorted([*built, *checks])},
    }


def record(vendor: Vendor, summary: dict[str, Any], others: dict[str, str], whole: bool) -> str:
    """Keep what a run found; docs/reference/boxed-operators.md is made of it."""
    source = identify_source()
    if not whole:
        return "not recorded: evidence is of every suite, whole"
    if source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(source.dirty[:3])}); commit or restore them first"
    evidence = {
        "suite": EVIDENCE,
        "vendor": vendor.name,
        "hardware": hardware_of(vendor),
        "simulated": vendor.simulated,
        "torch": installed_torch()[1],
        "commit": source.commit,
        "date": date.today().isoformat(),
        **summary,
        "not_routed": grouped(others.items()),
    }
    path = DESCRIPTORS / vendor.name / "evidence" / f"{EVIDENCE}.json"
    write_if_changed(path, json.dumps(evidence, indent=1, ensure_ascii=False) + "\n")
    return f"recorded {path.name}; now: python -m generators.reports --write"


def main() -> int:
    options = parse()
    try:
        vendor = load_vendor(options.vendor)
        with tempfile.TemporaryDirectory() as folder:
            findings, others = sweep(options, vendor, Path(folder))
    except (SweepError, VendorError, ConfError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 2
    summary = findings.summary()
    print(json.dumps({"summary": summary}), flush=True)
    for suite, found in summary["suites"].items():
        print(f"{suite}: {found}", file=sys.stderr)
    for name, why in [*summary["wrong"].items(), *summary["unexplained"].items()]:
        print(f"{name}: {why}", file=sys.stderr)
    print(
        f"{len(findings.routed)} operators are routed: {len(findings.proven)} proven, {len(findings.wrong)} wrong, "
        f"{len(findings.not_run)} in no sample, {len(findings.fell_back)} fell back all the same",
        file=sys.stderr,
    )
    if options.record:  # first: evidence is of a commit, and a conf that was written is none yet
        print(record(vendor, summary, others, options.whole), file=sys.stderr)
    if options.write_conf:
        write_if_changed(conf_path(vendor.name), render_conf(vendor.name, summary, operators_of_torch()))
        print(f"written: {conf_path(vendor.name).name}", file=sys.stderr)
    failed = any(result["result"] == "failed" for result in findings.results)
    return 1 if failed or findings.fell_back else 0


if __name__ == "__main__":
    sys.exit(main())
