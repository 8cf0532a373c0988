"""The text of a C function declaration, as a map states it: `cudaError_t cudaMalloc(void **devPtr, size_t size)`.

Of C++ it knows references, and templates of functions and of types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

QUALIFIERS = {"const", "volatile", "struct", "enum", "union", "restrict"}
BASIC = {"void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"}


class DeclarationError(ValueError):
    """A text that is no declaration of a function; says what was expected."""


@dataclass(frozen=True)
class Formal:
    """A parameter of an SDK's function."""

    type: str  # as written, e.g. "const void *"
    name: str = ""  # a header may leave it out
    default: str = ""  # a C++ header may give one

    def __str__(self) -> str:
        gap = "" if not self.name or self.type.endswith(("*", "&")) else " "
        named = self.type.replace("(*)", f"(*{self.name})") if "(*)" in self.type else f"{self.type}{gap}{self.name}"
        return named + (f" = {self.default}" if self.default else "")


@dataclass(frozen=True)
class Declaration:
    name: str
    returns: str
    parameters: tuple[Formal, ...]
    template: str = ""  # "template <typename T>"

    def __str__(self) -> str:
        head = f"{self.template} " if self.template else ""
        gap = "" if self.returns.endswith("*") else " "
        return f"{head}{self.returns}{gap}{self.name}({', '.join(map(str, self.parameters)) or 'void'})"

    @property
    def types(self) -> tuple[str, ...]:
        """What makes it the same function, however its parameters are called."""
        return tuple(same_type(text) for text in (self.returns, *(p.type for p in self.parameters)))


NUMBERS = {
    *("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "unsigned", "bool"),
    *("long", "unsigned long", "long long", "unsigned long long", "float", "double", "size_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def same_type(text: str) -> str:
    """One spelling of a type: C says `struct x` where C++ may say `x`, and headers say `unsigned` where compilers add `int`."""
    text = re.sub(r"\bunsigned\b(?!\s+(char|short|int|long))", "unsigned int", text)
    return tidy_type(re.sub(r"\b(struct|enum|union)\s+", "", text))


def tidy_type(text: str) -> str:
    """Single blanks, and one before the stars."""
    return re.sub(r"\s*([*&])\s*", r" \1", " ".join(text.split())).replace("* *", "**").replace("( *)", "(*)").strip()


def parse_declaration(text: str) -> Declaration:
    """Raises DeclarationError."""
    template = re.match(r"\s*template\s*<[^<>]*>", text)
    text = text[template.end() :] if template else text
    match = re.fullmatch(r"\s*([\w\s*]+?[\s*])([A-Za-z_]\w*)\s*\((.*)\)\s*;?\s*", text, re.DOTALL)
    if match is None:
        raise DeclarationError("expected a C declaration such as 'int name(void **ptr, size_t size)'")
    returns, name, inside = match.groups()
    parts = [part.strip() for part in _split(inside)]
    if parts in ([""], ["void"]):
        parts = []
    if not all(parts):
        raise DeclarationError(f"an empty parameter in '{name}(…)'")
    formals = tuple(_parse_formal(part) for part in parts)
    return Declaration(name, tidy_type(returns), formals, " ".join(template[0].split()) if template else "")


def _split(text: str) -> Iterator[str]:
    """At the commas that are not inside parentheses, or inside those of a template."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        depth += (character in "(<") - (character in ")>")
        if depth < 0:
            break
        if character == "," and depth == 0:
            yield text[start:index]
            start = index + 1
    if depth != 0:
        raise DeclarationError("the parentheses do not match")
    yield text[start:]


def _parse_formal(text: str) -> Formal:
    text, _, default = (part.strip() for part in text.partition("="))
    if "(" in text:  # a pointer to a function
        named = re.search(r"\(\s*\*\s*(\w+)\s*\)", text)
        return Formal(re.sub(r"\(\s*\*\s*\w*\s*\)", "(*)", " ".join(text.split())), named[1] if named else "", default)
    match = re.fullmatch(r"(.*?[\s*&])([A-Za-z_]\w*)(\s*\[\w*\])?", text, re.DOTALL)
    if match and match[2] not in BASIC and set(re.findall(r"\w+", match[1])) - QUALIFIERS:
        return Formal(tidy_type(match[1] + ("*" if match[3] else "")), match[2], default)
    if not re.fullmatch(r"[\w\s*\[\]]+", text):
        raise DeclarationError(f"'{text}' is no parameter")
    return Formal(tidy_type(text), "", default)
