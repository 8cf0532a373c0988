"""What an SDK's headers declare, read with libclang: functions, enums, constants, structs. Nothing is written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import clang.cindex as clang

from generators.declaration import Declaration, Formal, tidy_type

# Headers ask for GCC's version, and libclang alone says 4.2: attributes such as `deprecated` would vanish. Of 10 it knows
# all attributes that headers then use.
GNUC = "-fgnuc-version=10.2"
STANDARDS = {"c": "gnu17", "c++": "gnu++17"}


class ReconError(Exception):
    """An SDK that cannot be read; the text says where, and what to do."""


@dataclass(frozen=True)
class Parameter:
    formal: Formal
    canonical: str  # C type without typedefs


@dataclass(frozen=True)
class SdkFunction:
    name: str
    declaration: Declaration
    parameters: tuple[Parameter, ...]
    returns: str  # canonical
    file: str
    line: int
    comment: str = ""
    deprecated: bool = False
    inline: bool = False  # defined in the header: no library exports it
    symbol: str = ""  # as a library exports it: C++ has its own spelling
    namespace: str = ""  # "vendor::api"

    @property
    def qualified(self) -> str:
        return f"{self.namespace}::{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Constant:
    name: str
    value: int | None
    enum: str = ""  # of which enum; empty for a macro or a constant variable


@dataclass
class Headers:
    """The facts of a set of headers."""

    language: str
    defines: tuple[str, ...]
    files: list[Path] = field(default_factory=list)  # of the SDK, in order of inclusion
    functions: list[SdkFunction] = field(default_factory=list)
    of_cxx: list[SdkFunction] = field(
        default_factory=list
    )  # in namespaces, and templates: no runtime API's, but operators'
    constants: dict[str, Constant] = field(default_factory=dict)
    structs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # name -> (field, type)
    aliases: dict[str, str] = field(default_factory=dict)  # typedef -> canonical type


def read_headers(
    headers: Iterable[str], include: Iterable[Path], scope: Path, defines: tuple[str, ...] = ()
) -> Headers:
    """Parse `headers` as C, or as C++ where they are no C, with the definitions that they turn out to want.

    `scope` is the folder whose declarations count: what the SDK includes from elsewhere is not its API.
    Raises ReconError with file and line of what does not parse.
    """
    headers, include = list(headers), list(include)
    problems = []
    for language in STANDARDS:
        unit, errors = _parse(headers, include, language, defines)
        if not errors:
            return _collect(unit, language, defines, scope)
        problems.append((language, errors))
    for _, errors in problems:
        wanted = _wanted_defines(errors)
        fitting = []
        for name in wanted:
            try:
                fitting.append(read_headers(headers, include, scope, (*defines, name)))
            except ReconError:
                continue
        if len(fitting) == 1:
            return fitting[0]
        if len(fitting) > 1:
            options = " or ".join(f"--define {name}" for name in wanted)
            raise ReconError(f"{', '.join(headers)} parses with each of these definitions; choose one: {options}")
    lines = [f"{', '.join(headers)} does not parse, neither as C nor as C++"]
    for language, errors in problems:
        lines += [f"  as {language.upper()}:", *(f"    {error}" for error in errors[:5])]
    if any("file not found" in error for _, errors in problems for error in errors):
        lines.append("  a header is missing: install what provides it, or name its folder: --include DIR")
    raise ReconError("\n".join(lines))


def needs_extern_c(found: Headers, headers: Iterable[str], include: Iterable[Path], scope: Path) -> bool:
    """Whether C++ that includes these headers of C would look for functions of C++, since they have no `extern "C"` of their
    own. Raises ReconError if C++ cannot include them."""
    if found.language != "c":
        return False
    headers = list(headers)
    unit, errors = _parse(headers, list(include), "c++", found.defines)
    if errors:
        lines = [f"{', '.join(headers)} parses as C, but not as C++, in which the runtime is written", *errors[:5]]
        lines.append("where a word of C++ is used as a name, give it another one: --define WORD=WORD_")
        raise ReconError("\n  ".join(lines))
    of_c = {f.symbol for f in _collect(unit, "c++", found.defines, scope).functions}
    return any(f.symbol not in of_c for f in found.functions if not f.inline)


def _parse(
    headers: list[str], include: list[Path], language: str, defines: tuple[str, ...]
) -> tuple[clang.TranslationUnit, list[str]]:
    text = "".join(f"#include <{header}>\n" for header in headers)
    arguments = ["-x", language, f"-std={STANDARDS[language]}", "-nostdinc"]
    arguments += [f"-I{folder}" for folder in include] + [f"-D{name}" for name in defines]
    arguments += compiler_arguments(language)
    options = clang.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    unit = clang.Index.create().parse("recon.h", arguments, unsaved_files=[("recon.h", text)], options=options)
    errors = []
    for diagnostic in unit.diagnostics:
        file = diagnostic.location.file.name if diagnostic.location.file else ""
        if diagnostic.severity >= clang.Diagnostic.Error and not file.startswith("/usr/lib/gcc/"):
            place = ", ".join(headers) if file in ("", "recon.h") else f"{file}:{diagnostic.location.line}"
            errors.append(f"{place}: {diagnostic.spelling}")
    return unit, errors


@cache
def compiler_arguments(language: str) -> tuple[str, ...]:
    """To parse as the system's compiler would: with its own headers, of which the wheel of libclang brings none."""
    compiler = os.environ.get("CXX") or next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), "")
    if not compiler or not shutil.which(compiler.split()[0]):
        raise ReconError("no C++ compiler found, whose headers the SDK's include; on Debian: apt-get install g++")
    command = [*compiler.split(), "-E", "-v", "-x", language, os.devnull]
    output = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}).stderr
    listed = output.rpartition("#include <...> search starts here:")[2].partition("End of search list")[0]
    folders = [line.strip() for line in listed.splitlines() if line.strip()]
    return (*(f"-isystem{folder}" for folder in folders), GNUC)


def _wanted_defines(errors: list[str]) -> list[str]:
    """Macros that an #error asks for: names that look like macros in its text."""
    texts = [error for error in errors if "define" in error.lower() or "platform" in error.lower()]
    return list(dict.fromkeys(name for text in texts for name in re.findall(r"\b_*[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", text)))


def _collect(unit: clang.TranslationUnit, language: str, defines: tuple[str, ...], scope: Path) -> Headers:
    found = Headers(language, defines)
    inside = f"{scope}/"
    found.files = list(
        dict.fromkeys(Path(i.include.name) for i in unit.get_includes() if i.include.name.startswith(inside))
    )
    _collect_cursors(unit.cursor, inside, found)
    for file in found.files:
        _collect_macros(file, found)
    return found


def _collect_cursors(parent: clang.Cursor, inside: str, found: Headers, namespace: str = "") -> None:
    kinds = clang.CursorKind
    for cursor in parent.get_children():
        file = cursor.location.file
        if cursor.kind in (kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL):  # extern "C"
            _collect_cursors(cursor, inside, found, namespace)
        elif file is None or not file.name.startswith(inside):
            continue
        elif cursor.kind is kinds.NAMESPACE:
            _collect_cursors(cursor, inside, found, f"{namespace}::{cursor.spelling}".removeprefix("::"))
        elif cursor.kind in (kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE):
            function = _function(cursor, namespace)
            (found.of_cxx if namespace or function.declaration.template else found.functions).append(function)
        elif cursor.kind is kinds.ENUM_DECL:
            for value in cursor.get_children():
                if value.kind is kinds.ENUM_CONSTANT_DECL:
                    name = f"{cursor.type.spelling}::{value.spelling}" if namespace else value.spelling
                    found.constants[name] = Constant(name, value.enum_value, cursor.type.spelling)
        elif namespace:
            continue  # what else a namespace has, nothing here asks for
        elif cursor.kind is kinds.STRUCT_DECL and cursor.is_definition():
            fields = [(f.spelling, f.type.spelling) for f in cursor.get_children() if f.kind is kinds.FIELD_DECL]
            found.structs[_plain(cursor.type.get_canonical().spelling)] = fields
        elif cursor.kind is kinds.TYPEDEF_DECL:
            found.aliases[cursor.spelling] = cursor.underlying_typedef_type.get_canonical().spelling
        elif cursor.kind is kinds.VAR_DECL and cursor.type.is_const_qualified():
            value = re.search(r"=\s*(-?\d+)", " ".join(token.spelling for token in cursor.get_tokens()))
            if value:
                found.constants[cursor.spelling] = Constant(cursor.spelling, int(value[1]))


def _plain(type_: str) -> str:
    return re.sub(r"\b(struct|enum|union|const)\s+", "", type_).replace("*", "").strip()


def _function(cursor: clang.Cursor, namespace: str) -> SdkFunction:
    children = list(cursor.get_children())
    parameters = []
    for parameter in (child for child in children if child.kind is clang.CursorKind.PARM_DECL):
        tokens = [token.spelling for token in parameter.get_tokens()]
        default = " ".join(tokens[tokens.index("=") + 1 :]) if "=" in tokens else ""
        formal = Formal(tidy_type(parameter.type.spelling), parameter.spelling, default)
        parameters.append(Parameter(formal, tidy_type(parameter.type.get_canonical().spelling)))
    return SdkFunction(
        name=cursor.spelling,
        declaration=Declaration(
            cursor.spelling,
            tidy_type(cursor.result_type.spelling),
            tuple(p.formal for p in parameters),
            _template(children),
        ),
        parameters=tuple(parameters),
        returns=tidy_type(cursor.result_type.get_canonical().spelling),
        file=cursor.location.file.name,
        line=cursor.location.line,
        comment=cursor.raw_comment or "",
        deprecated=cursor.availability is clang.AvailabilityKind.DEPRECATED,
        inline=cursor.storage_class is clang.StorageClass.STATIC or cursor.is_definition(),
        symbol=cursor.mangled_name,
        namespace=namespace,
    )


OF_TEMPLATE = (clang.CursorKind.TEMPLATE_TYPE_PARAMETER, clang.CursorKind.TEMPLATE_NON_TYPE_PARAMETER)


def _template(children: list[clang.Cursor]) -> str:
    """ "template <typename T, int N = 0>", or "" of a function that is none."""
    given = [
        " ".join(token.spelling for token in child.get_tokens()) for child in children if child.kind in OF_TEMPLATE
    ]
    return f"template <{', '.join(given)}>" if given else ""


# Macros need no parser: libclang would list all of the system's as well, and takes ten times as long with them.
MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?[ \t]*([-+]?(?:0[xX][\da-fA-F]+|\d+))[uUlL]*[ \t]*\)?[ \t]*(?:$|/[/*])",
    re.M,
)


def _collect_macros(file: Path, found: Headers) -> None:
    for match in MACRO.finditer(file.read_text(encoding="utf-8", errors="replace")):
        digits = match[2].lstrip("+")
        octal = re.fullmatch(r"-?0\d+", digits)
        value = int(digits, 8) if octal else int(digits, 0)
        found.constants.setdefault(match[1], Constant(match[1], value))
