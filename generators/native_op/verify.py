"""Measure what a table claims, category by category, and keep what that proves:

    python -m generators.native_op.verify --vendor NAME [--op-lib FILE] [--category NAME] [--write --record]

Builds what is needed, measures each category in a process of its own, and prints what passes and what does not. What was
measured before, with the same library, kernels and table, is not measured again. --write sets the table's statuses and the
vendor's conf to what passed; --record keeps the figures as evidence, of a clean commit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from generators.build import BuildError, build_operators, build_torch_side, build_vendor
from generators.documents import shorten
from generators.files import write_if_changed
from generators.native_op import NativeError
from generators.native_op.findings import (
    Findings,
    Setting,
    evidence_path,
    measure_category,
    read_evidence,
    render_evidence,
    rendered,
)
from generators.native_op.table import OperatorTable, read_table, table_path
from generators.source import identify_source
from generators.vendor import VendorError, find_operator_library, find_sdk, load_vendor


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m generators.native_op.verify", description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True, metavar="NAME")
    parser.add_argument("--sdk-path", type=Path, metavar="DIR", help="root of the SDK that the runtime is built with")
    parser.add_argument("--op-lib", type=Path, metavar="FILE", help="the library of operators")
    parser.add_argument("--category", metavar="NAME", help="this one only; nothing is recorded")
    parser.add_argument(
        "--write", action="store_true", help="set the table's statuses and the conf to what is recorded"
    )
    parser.add_argument("--record", action="store_true", help="keep the figures as the vendor's evidence")
    return parser.parse_args(arguments)


def measured(setting: Setting, categories: Iterable[str]) -> Iterator[Findings]:
    """Each category in its turn, told as it comes."""
    categories = list(categories)
    for number, category in enumerate(categories, start=1):
        found = measure_category(setting, category)
        worst = found.worst
        told = f"worst {worst['max_rel']:.1e} ({worst['overload']})" if worst else "nothing was measured"
        told += ", kept from an earlier run" if found.kept else ""
        print(
            f"{number} of {len(categories)}  {category}: {len(found.passed)} of {found.overloads} pass, {told}",
            flush=True,
        )
        for entry in found.failed:
            print(f"    {entry['overload']}, {entry['dtype']}: {why(entry)}", flush=True)
        if found.ended:
            print(f"    {found.ended}", flush=True)
        yield found


def why(entry: dict) -> str:
    if entry["wrong"]:
        return str(entry["wrong"][0])
    if not entry["samples"]:
        return f"no sample that the library takes; {entry['elsewhere']} went to the CPU"
    return f"{entry['max_rel']:.1e} off, at most {entry['bar']:.1e}: {entry['worst']}"


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        vendor, table = load_vendor(options.vendor), read_table(table_path(options.vendor))
        if not table.generated:
            raise NativeError(f"{shorten(table.path)}: no entry is reviewed, so there is nothing to measure")
        if options.category and options.category not in table.categories:
            raise NativeError(f"no category '{options.category}'; {vendor.name} has {', '.join(table.categories)}")
        library = find_operator_library(table, options.op_lib)
        sdk = find_sdk(vendor, options.sdk_path)
        simulated = library.simulated or (sdk.simulated if sdk else "")
        if simulated and (options.record or options.write):
            raise NativeError(
                f"nothing is recorded or written of a {simulated}; measure with the vendor's own, on hardware"
            )
        runtime = build_vendor(vendor, sdk)
        build_torch_side()
        setting = Setting(table, library, runtime.library, build_operators(table, library).library)
        categories = [options.category] if options.category else table.categories
        findings = list(measured(setting, categories))
        if options.record:
            print(record(setting, findings, options.category))
        if options.write:
            write(table)
    except (NativeError, VendorError, BuildError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 1 if any(found.failed or found.ended for found in findings) else 0


def record(setting: Setting, findings: list[Findings], category: str | None) -> str:
    source = identify_source()
    if category:
        return "not recorded: evidence is of all categories; leave out --category"
    if source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(source.dirty[:3])}); commit or restore them first"
    path = evidence_path(setting.table)
    write_if_changed(path, render_evidence(setting, findings, source.commit))
    return f"recorded {shorten(path)}"


def write(table: OperatorTable) -> None:
    """The conf and the statuses, of what is recorded."""
    # the page shows statuses: python -m generators.native_op
    for path, text in rendered(table, read_evidence(evidence_path(table))).items():
        print(f"{shorten(path)}: {'written' if write_if_changed(path, text) else 'unchanged'}")
    print(
        f"now: python -m generators.native_op --vendor {table.vendor}; python -m generators.reports --write; and commit"
    )


if __name__ == "__main__":
    sys.exit(main())
