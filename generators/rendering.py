"""How every generator renders its templates: an unknown name is an error, and a block leaves no blank line."""

from __future__ import annotations

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generators.files import ROOT


def templates(folder: str = "") -> Environment:
    """The templates of `generators/templates`, or of a folder there."""
    return Environment(
        loader=FileSystemLoader(ROOT / "generators/templates" / folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
