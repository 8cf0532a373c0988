"""What the documents say of tests is so."""

import ast
import re
import shlex
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob(".github/*.md"), *REPOSITORY.glob("docs/**/*.md")]
INTEGRATION = REPOSITORY / "docs/reference/pytorch-integration.md"


@cache
def functions_of(path: Path) -> set[str]:
    if not path.exists():
        return set()
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


def missing_tests(text: str) -> list[str]:
    named = re.findall(r"([\w/]*test_\w+\.py)::(\w+)", text)
    assert named, "the document names no test"
    return [
        f"{file}::{test}"
        for file, test in named
        if test not in functions_of(REPOSITORY / (file if "/" in file else f"tests/integration/{file}"))
    ]


def test_every_test_named_in_the_table_exists():
    assert not missing_tests(INTEGRATION.read_text())


def test_every_line_of_the_table_has_a_test_or_a_reason():
    for line in INTEGRATION.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "::" not in line and len(cells) == 3:
            assert cells[0] in ("item", "---") or ":" in cells[1], f"neither test nor reason: {line}"


def test_a_test_that_is_not_there_is_found():
    gone = (
        "`test_surface.py::test_no_such_thing`, `tests/unit/test_documents.py::missing_tests`, `test_gone.py::test_x`"
    )
    assert missing_tests(gone) == ["test_surface.py::test_no_such_thing", "test_gone.py::test_x"]


def dead_links(document: Path, text: str) -> list[str]:
    """Links to files of the repository that are not there."""
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose)]
    return [link for link in links if link and ":" not in link and not (document.parent / link).exists()]


def test_every_link_between_documents_leads_somewhere():
    assert {"README.md", "CONTRIBUTING.md", "new-chip.md", "gates.md"} <= {document.name for document in DOCUMENTS}
    assert {str(d): dead for d in DOCUMENTS if (dead := dead_links(d, d.read_text()))} == {}


def test_a_dead_link_is_found():
    text = "[a](new-chip.md) [b](gone.md#x) `[c](code.md)` [d](https://x.org/y) [e](#here) [f](../../README.md)"
    assert dead_links(REPOSITORY / "docs/guides/certify.md", text) == ["gone.md"]


# ---- commands

STARTS = ("python", "pytest", "pip", "make", "git", "apt-get", ".")


def unpasteable(text: str) -> list[str]:
    """Commands with more than a shell takes: words behind them that are no comment, options in brackets."""
    blocks = [part for part in text.split("```")[1::2] if part.startswith("\n")]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.partition(" ")[0] in STARTS]
    return [line for line in commands if not _is_command(line)]


def _is_command(line: str) -> bool:
    command = line.partition(" #")[0].rstrip()
    return "  " not in command and not any(word.startswith("[") for word in shlex.split(command))


def test_commands_of_guides_can_be_pasted():
    guides = [REPOSITORY / "README.md", *REPOSITORY.glob(".github/*.md"), *REPOSITORY.glob("docs/guides/*.md")]
    assert {guide.name: wrong for guide in guides if (wrong := unpasteable(guide.read_text()))} == {}


def test_a_command_that_cannot_be_pasted_is_found():
    good = ["$ make setup    # once", "pytest gates -k 'a [b]'", "words  of output", "python -m m --x 'a b'"]
    bad = ["pip download torch==2.13.0   from an index", "python -m m [--op-lib FILE]"]
    assert unpasteable("```\n" + "\n".join(good + bad) + "\n```\n") == bad
