"""What the documents say of tests is so."""

import ast
import re
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
