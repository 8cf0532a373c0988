"""A table of operators -> the page beside it, `docs/vendors/<vendor>/op-api-map.md`, for those who know the library."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from generators.aten.operators import Catalogue
from generators.documents import shorten
from generators.native_op.sources import Group, groups_of
from generators.native_op.table import OperatorTable
from generators.rendering import templates
from generators.vendor import VendorError, load_vendor


def page_path(table: OperatorTable) -> Path:
    return table.path.with_suffix(".md")


def render_page(table: OperatorTable, catalogue: Catalogue) -> str:
    """Raises NativeError as groups_of does."""
    categories: dict[str, list[Group]] = {}
    for group in groups_of(table, catalogue):
        categories.setdefault(group.entry.category, []).append(group)
    environment = templates()
    environment.filters["cell"] = _cell
    return environment.get_template("op-api-map.md.j2").render(
        table=table,
        where=shorten(table.path),
        categories=categories,
        overloads=sum(len(group.overloads) for groups in categories.values() for group in groups),
        statuses=Counter(entry.status for entry in table.entries),
        unreviewed=table.unreviewed,
        refused=[entry for entry in table.entries if entry.status == "refused"],
        over_sdk=_over_sdk(table.runtime),
    )


def _over_sdk(runtime: str) -> bool:
    """Whether that vendor's runtime is built with an SDK."""
    try:
        return load_vendor(runtime).sdk is not None
    except VendorError:  # a runtime that this checkout has not yet
        return True


def _cell(text: Any) -> str:
    """One cell of a table: in Markdown a bar ends it."""
    return " ".join(str(text).split()).replace("|", "\\|")
