"""The generator: every operator of the rule, without a warning, the same each time, and the tree holds just that."""

from __future__ import annotations

import difflib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gates.status import check, fail
from gates.version_port.conftest import Generated, files_of, generate
from generators.aten import AtenError
from generators.aten.lines import TorchLine, pinned_line
from generators.aten.operators import Catalogue
from generators.aten.ports import declared_range, load_records, render_declarations, survey
from generators.aten.sources import COMMITTED, home_of
from generators.aten.spelling import ARRAYREF_OPS, read_overrides
from generators.files import ROOT, write_if_changed


def _expected_operators(schemas: Path) -> set[str]:
    """The rule, read from the text of the schemas without torchgen: a CUDA kernel, own or by delegation, and neither a
    composition nor a view nor `set_`."""
    entries: dict[str, dict[str, Any]] = {}
    for text in re.split(r"^- func: ", schemas.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        text = re.sub(r"(^|\s)#.*", "", text)
        schema = text.partition("\n")[0]
        dispatch = re.search(r"^  dispatch:\s*\n((?:    .*\n|\s*\n)*)", text, re.MULTILINE)
        keys = re.findall(r"^    ([\w, ]+):", dispatch[1], re.MULTILINE) if dispatch else []
        if "\n  ufunc_inner_loop:" in text:  # PyTorch writes such a kernel for the CPU and for CUDA
            keys.append("CUDA")
        delegate = re.search(r"^  structured_delegate: (\S+)", text, re.MULTILINE)
        entries[schema.partition("(")[0]] = {
            "keys": {key.strip() for group in keys for key in group.split(",")},
            "delegate": delegate[1] if delegate else "",
            "view": re.search(r"\([a-z](?: -> \*)?(?:\|[a-z])*\)", schema.rpartition("->")[2]) is not None,
        }

    def on_cuda(entry: dict[str, Any]) -> bool:
        return "CUDA" in entry["keys"] or "CUDA" in entries.get(entry["delegate"], {"keys": ()})["keys"]

    return {
        name
        for name, entry in entries.items()
        if on_cuda(entry)
        and "CompositeImplicitAutograd" not in entry["keys"]
        and not entry["view"]
        and name.partition(".")[0] != "set_"
    }


@pytest.mark.gate("version_port.codegen.count")
def test_every_operator_of_the_rule_is_generated(
    line: TorchLine, generated: Generated, catalogue: Catalogue, measured: dict[str, Any]
):
    """Exit criterion: "emits the full conf op count": a row for each ATen overload with a CUDA kernel that is neither a
    composition nor a view nor `set_`, counted from the schemas' text without torchgen; the printed count agrees."""
    expected = _expected_operators(line.schemas)
    files = generated.files
    rows = re.findall(rb"^    BOXED\((\w+)\),$", b"".join(files.values()), re.MULTILINE)
    names = {operator.symbol: operator.name for operator in catalogue.operators}
    found = [names.get(row.decode(), row.decode()) for row in rows]
    printed = re.search(r"(\d+) of \d+ operators can be routed", generated.said)
    measured.update({"operators": len(found), "codegen_cpu_seconds": f"{generated.cpu_seconds:.1f}"})
    missing, further = sorted(expected - set(found)), sorted(set(found) - expected)
    check(
        not missing and not further and len(found) == len(set(found)),
        f"{len(found)} operators are generated, the rule gives {len(expected)}",
        expected=len(expected),
        found=f"{len(found)}; missing: {', '.join(missing[:8]) or 'none'}; not by the rule: {', '.join(further[:8]) or 'none'}",
        where=str(line.schemas),
        next="generators/aten/operators.py: _is_routable",
    )
    typed = re.findall(rb"^using (\w+) = ", files["ops.h"], re.MULTILINE)
    wanted = {operator.name for operator in catalogue.typed}
    untyped = sorted(wanted - {names.get(symbol.decode()) for symbol in typed})
    check(
        not untyped and len(typed) == len(wanted),
        "the types of ops.h are not those of every operator that is routed or takes a list",
        expected=len(wanted),
        found=f"{len(typed)}; missing: {', '.join(untyped[:8]) or 'none'}",
        where="generators/aten/sources.py",
    )
    check(
        printed is not None and int(printed[1]) == len(found),
        "the generator prints another count than it writes",
        expected=len(found),
        found=generated.said,
    )


@pytest.mark.gate("version_port.codegen.warnings")
def test_generator_warns_of_nothing(generated: Generated):
    """Exit criterion: "with no WARNINGs": there is no operator that the generator had to leave out."""
    warnings = [text for text in generated.said.splitlines() if "warning" in text.lower()]
    check(not warnings, f"{len(warnings)} warnings of the generator", expected="none", found="; ".join(warnings[:5]))


@pytest.mark.gate("version_port.codegen.idempotent")
@pytest.mark.parametrize("variation", ["again", "hash seed", "locale", "folder", "parallel"])
def test_second_run_changes_nothing(variation: str, line: TorchLine, generated: Generated, tmp_path: Path):
    """Exit criterion: "second codegen run leaves git diff empty": the same bytes again, with another hash seed, locale and
    working directory, and from several processes that write into one folder at once."""
    first, out = generated.files, tmp_path / "generated"
    if variation == "again":
        times = {path.name: path.stat().st_mtime_ns for path in generated.folder.iterdir()}
        said = generate(line, generated.folder).said
        out = generated.folder
        check("nothing changed" in said, "the second run says that it changed something", found=said)
        check(times == {p.name: p.stat().st_mtime_ns for p in out.iterdir()}, "the second run wrote files again")
    elif variation == "hash seed":
        for seed in ("0", "4242"):
            generate(line, out, PYTHONHASHSEED=seed)
            _same(first, files_of(out), f"PYTHONHASHSEED={seed}")
    elif variation == "locale":
        generate(line, out, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", TZ="Pacific/Kiritimati")
    elif variation == "folder":
        generate(line, out, cwd=tmp_path)
    else:
        with ThreadPoolExecutor() as threads:
            list(threads.map(lambda _: generate(line, out), range(3)))
    _same(first, files_of(out), variation)


def _same(first: dict[str, bytes], second: dict[str, bytes], what: str) -> None:
    differing = [name for name in sorted(first.keys() | second.keys()) if first.get(name) != second.get(name)]
    if differing:
        name = differing[0]
        texts = [files.get(name, b"").decode(errors="replace").splitlines() for files in (first, second)]
        diff = list(difflib.unified_diff(*texts, f"{name} (first run)", f"{name} ({what})", lineterm="", n=0))
        fail(f"another run gives other files: {', '.join(differing)}", found="\n".join(t[:160] for t in diff[:8]))


@pytest.mark.gate("version_port.codegen.committed")
def test_tree_holds_what_the_generator_writes(line: TorchLine, generated: Generated):
    """Exit criterion: the committed files are the pinned line's, equal to a fresh run, whole and not edited by hand; another
    line's files stay out of the tree."""
    home = home_of(line.name)
    if line.name != pinned_line():
        ignored = subprocess.run(["git", "check-ignore", "-q", str(home / "ops.h")], cwd=ROOT).returncode == 0
        check(ignored and home != COMMITTED, "another line's files would get into the tree", found=str(home))
        return
    committed = {name: text for name, text in files_of(COMMITTED).items() if not name.startswith(".")}
    fresh = generated.files
    stale = [name for name in sorted(fresh.keys() | committed.keys()) if committed.get(name) != fresh.get(name)]
    check(
        not stale,
        f"{len(stale)} committed files are not what the generator writes",
        expected="a fresh run changes nothing",
        found=", ".join(stale),
        where=str(COMMITTED.relative_to(ROOT)),
        next="pytest -m version_port -k spelling --fix: ARRAYREF_OPS is not empty"
        if read_overrides(ARRAYREF_OPS)
        else "python -m generators.aten, and commit; --check shows the difference",
    )


@pytest.mark.gate("version_port.codegen.portable")
def test_files_name_no_machine(generated: Generated):
    """Exit criterion: generated text has canonical names only: no path of a machine, no time, no build of torch."""
    pattern = rb"(?:/home|/root|/tmp|/usr|site-packages)\b|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\+(?:cpu|cu\d+)"
    found = [f"{name}: {m[0].decode()}" for name, text in generated.files.items() for m in re.finditer(pattern, text)]
    check(not found, "generated files name the machine", found="; ".join(found[:5]))


@pytest.mark.gate("version_port.report.recorded")
def test_port_report_says_what_the_line_has(line: TorchLine, catalogue: Catalogue):
    """Exit criterion: docs/ports/<line>.md exists, and its counts and its list operators are those of this torch."""
    command = f"python -m generators.aten.ports {line.release} && make generate"
    recorded = load_records().get(line.name)
    check(
        recorded is not None, f"torch {line.name} has no port report", where=f"docs/ports/{line.name}.md", next=command
    )
    fresh = survey(catalogue, None)
    differing = {key: (recorded.get(key), value) for key, value in fresh.items() if recorded.get(key) != value}
    check(
        not differing,
        f"the port report of torch {line.name} is of another torch",
        expected={key: value for key, (_, value) in differing.items()},
        found={key: value for key, (value, _) in differing.items()},
        where=f"docs/ports/{line.name}.json",
        next=command,
    )


@pytest.mark.gate("version_port.report.range")
def test_declared_range_is_what_was_tested(pytestconfig: pytest.Config):
    """Exit criterion: "update the declared range": what pyproject.toml requires, docs/reference/compatibility.md and the
    badge of the README say the lines that were recorded as built, imported and tested. --fix writes them."""
    try:
        wanted = render_declarations()
    except AtenError as error:
        fail("the declared range cannot be told", found=str(error))
    stale = {
        path: text for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    }
    if pytestconfig.option.fix:
        for path, text in stale.items():
            write_if_changed(path, text)
        return
    check(
        not stale,
        "the declared range is not what was tested",
        expected=declared_range(load_records()),
        where=", ".join(str(path.relative_to(ROOT)) for path in stale),
        next="pytest -m version_port --fix",
    )
