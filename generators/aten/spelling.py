"""How each operator spells a list of tensors: torchgen says, the override may say otherwise, and the compiler proves it.

An operator takes IListRef if torchgen puts it into a structured group, else ArrayRef. ARRAYREF_OPS names exceptions; it
should stay empty. ops.cc asserts the type of every operator against PyTorch's own declaration, so one syntax-only
compile names all that are wrong, and the loop amends the override by that.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from generators.aten import AtenError
from generators.aten.faults import WrongType
from generators.aten.lines import TorchLine
from generators.aten.operators import SPELLINGS, Catalogue, Operator
from generators.documents import did_you_mean, shorten
from generators.files import write_if_changed
from generators.fixloop import Outcome, Stuck, converge

ARRAYREF_OPS = Path(__file__).with_name("arrayref_ops.txt")
HEADING = """\
# How an operator spells a list of tensors, where torchgen's answer is not the dispatcher's:
#
#     cat.out = ArrayRef
#
# `pytest -m version_port --fix` keeps this file; it should stay empty.
"""
Overrides = dict[str, str]  # operator -> spelling


def read_overrides(path: Path) -> Overrides:
    """Raises AtenError with every line that is wrong."""
    overrides: Overrides = {}
    mistakes = []
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AtenError(
            f"{shorten(path)}: cannot be read: {error}; nothing is generated without it. It may be empty of entries: "
            f"git checkout {shorten(path)}"
        ) from None
    for number, text in enumerate(content.splitlines(), 1):
        if not (entry := text.partition("#")[0].strip()):
            continue
        name, equals, spelling = (part.strip() for part in entry.partition("="))
        where = f"{shorten(path)}:{number}"
        if not name or not equals:
            mistakes.append(f"{where}: expected 'operator.overload = spelling', found '{entry}'")
        elif spelling not in SPELLINGS:
            mistakes.append(f"{where}: unknown spelling '{spelling}'; {did_you_mean(spelling, SPELLINGS)}")
        elif name in overrides:
            mistakes.append(f"{where}: {name} is given twice")
        overrides[name] = spelling
    if mistakes:
        raise AtenError("\n".join(mistakes))
    return overrides


def render_overrides(overrides: Overrides) -> str:
    return HEADING + "".join(f"{name} = {spelling}\n" for name, spelling in sorted(overrides.items()))


def apply_overrides(catalogue: Catalogue, overrides: Overrides, operators: Iterable[Operator]) -> list[Operator]:
    """The operators as they are spelled under the override. Raises AtenError for one that takes no list."""
    lists = catalogue.lists
    if strangers := [name for name in overrides if name not in lists]:
        told = "\n".join(f"{shorten(ARRAYREF_OPS)}: {_no_list(name, catalogue)}" for name in strangers)
        raise AtenError(told)
    return [dataclasses.replace(o, spelling=overrides[o.name]) if o.name in overrides else o for o in operators]


def _no_list(name: str, catalogue: Catalogue) -> str:
    if name in {operator.name for operator in catalogue.operators}:
        return f"{name} takes no list of tensors in torch {catalogue.torch}; delete the line"
    nearest = did_you_mean(name, catalogue.lists) if len(name) > 2 else ""
    return f"torch {catalogue.torch} has no operator '{name}'; {nearest if nearest.startswith('did') else 'delete the line'}"


# ---- the proof ------------------------------------------------------------------------------------


def check_types(line: TorchLine, folder: Path) -> list[str]:
    """Names of the operators that ops.h in `folder` gives another type than the line's headers do, by one syntax-only
    compile of ops.cc. Raises AtenError if anything else is wrong."""
    if not line.include.is_dir():
        raise AtenError(f"{shorten(line.include)}: no such folder; types are checked against torch's own headers")
    command = [*compiler(), "-std=c++20", "-fsyntax-only", f"-I{line.include}", str(folder / "ops.cc")]
    child = subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", env=os.environ | {"LC_ALL": "C"}
    )
    wrong = re.findall(r"static assertion failed(?: due to requirement '.*')?: aten::(\S+):", child.stderr)
    others = [text for text in child.stderr.splitlines() if "error:" in text and "static assertion failed" not in text]
    if others or (child.returncode != 0 and not wrong):
        told = others or child.stderr.splitlines()[-5:] or [f"exit status {child.returncode}"]
        raise AtenError("\n  ".join([f"{shorten(folder / 'ops.cc')} does not compile against {line}:", *told[:10]]))
    return list(dict.fromkeys(wrong))


def compiler() -> list[str]:
    """The C++ compiler, told to report every error. Raises AtenError."""
    named = os.environ.get("CXX")
    found = next(filter(None, map(shutil.which, [named] if named else ["c++", "g++", "clang++"])), None)
    if found is None:
        raise AtenError(f"no C++ compiler: {named or 'c++, g++, clang++'}; on Debian: apt-get install g++, or set CXX")
    told = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return [found, "-ferror-limit=0" if "clang" in told else "-fmax-errors=0"]


def declared_type(line: TorchLine, operator: Operator) -> str:
    """The kernel's type as the line's header writes it; empty if there is none."""
    header = line.include / operator.header
    text = header.read_text(encoding="utf-8") if header.is_file() else ""
    found = re.search(rf"struct TORCH_API {re.escape(operator.symbol)} {{\s*using schema = (.*);", text)
    return found[1] if found else ""


# ---- finding the override -------------------------------------------------------------------------


def find_overrides(
    line: TorchLine,
    catalogue: Catalogue,
    first: Overrides,
    folder: Path,
    further: Callable[[Path], Sequence[WrongType]] = lambda _: (),
) -> Outcome[Overrides]:
    """From any override to one under which every type is right: the loop's steps and its last candidate. `folder` is where
    it works; nothing of the tree is touched. `further` is what an attempt tries once the types compile: a build, an
    import."""
    from generators.aten.sources import render_sources, write_sources

    def attempt(overrides: Overrides) -> Sequence[WrongType]:
        write_sources(render_sources(catalogue, overrides), folder)
        spelled = {o.name: o for o in apply_overrides(catalogue, overrides, catalogue.operators)}
        wrong = [_wrong_type(line, spelled[name]) for name in check_types(line, folder)]
        return wrong or further(folder)

    return converge(first, attempt, lambda overrides, wrong: amend_overrides(catalogue, overrides, wrong))


def _wrong_type(line: TorchLine, operator: Operator) -> WrongType:
    expected = declared_type(line, operator)
    spelling = next((spelling for spelling, text in operator.types.items() if text == expected), "")
    return WrongType(operator.name, operator.type, expected, spelling)


def amend_overrides(catalogue: Catalogue, overrides: Overrides, wrong: Sequence[WrongType]) -> tuple[Overrides, str]:
    """Spell each wrong operator as PyTorch does. Raises Stuck for one that is wrong in another way."""
    lists, amended = catalogue.lists, dict(overrides)
    for fault in wrong:
        operator = lists.get(fault.operator)
        if operator is None or not fault.spelling:
            raise Stuck(
                f"{fault.operator}: no spelling of a list makes its type right; given {fault.given}, "
                f"expected {fault.expected or 'unknown'}"
            )
        if overrides.get(operator.name, operator.spelling) == fault.spelling:
            raise Stuck(
                f"{operator.name} is spelled {fault.spelling} already: what was tried is not what was generated"
            )
        amended[operator.name] = fault.spelling
        if fault.spelling == operator.spelling:  # as torchgen says: nothing to override
            del amended[operator.name]
    counts = Counter(fault.spelling for fault in wrong)
    return amended, "spelled " + " and ".join(f"{counts[s]} as {s}" for s in SPELLINGS if counts[s])


def write_overrides(overrides: Overrides, path: Path = ARRAYREF_OPS) -> bool:
    return write_if_changed(path, render_overrides(overrides))
