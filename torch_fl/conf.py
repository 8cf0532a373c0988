"""Where each operator runs: `configs/backends_<vendor>.conf`, a line `op.overload = route` for each operator that is routed.

    # measured on two cards
    add.Tensor = cuda
    relu       = onednn     # an overload without a name

An operator that is not listed is decomposed by PyTorch, or falls back to the CPU and is counted. Only what was measured is
listed; a line is no evidence. One conf serves every torch line: a line of it for an operator that this torch has not, and
another line has, is skipped. This module needs no torch.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .torch_lines import torch_lines, where_it_is

CONFIGS = Path(__file__).resolve().parent / "configs"
LIBRARIES = Path(__file__).resolve().parent / "lib"
CONF = "FLAGOS_BACKEND_CONFIG"  # names a conf to use instead of the vendor's

# Routes to kernels of another dispatch key. A native library is a route as well, by its name.
BOXED = {"cuda": "CUDA", "host": "CPU"}
ROUTES = {route: f"boxed to the {key} key" for route, key in BOXED.items()}
NATIVE = "libtorch_fl_"
NOT_BUILT = {"flaggems": "FlagGems is a known route that is not built yet"}

LINE = re.compile(r"(?P<operator>[A-Za-z_]\w*(\.\w+)?)\s*=\s*(?P<route>\w+)", re.ASCII)
EXAMPLE = "with lines such as 'add.Tensor = cuda'"
MOST = 20  # mistakes that are told of one file


class ConfError(Exception):
    """A conf that cannot be used: every mistake as `file:line: what is wrong; what is expected`."""


@dataclass(frozen=True)
class Conf:
    path: Path
    routes: dict[str, str]  # "add.Tensor" -> "cuda"
    lines: dict[str, int]  # "add.Tensor" -> 4
    skipped: dict[str, str] = field(default_factory=dict)  # not in this torch -> where it is: "torch 2.14 and later"


def conf_path(vendor: str, configs: Path = CONFIGS) -> Path:
    return configs / f"backends_{vendor}.conf"


def conf_in_use(vendor: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The conf that the environment names, by its path or by the vendor that it is of, else the vendor's own."""
    named = environment.get(CONF)
    if named and re.fullmatch(r"\w+", named):
        return conf_path(named)
    return Path(named) if named else conf_path(vendor)


def native_libraries() -> list[str]:
    """The libraries of operators whose kernels are built, which are routes by these names."""
    names = (path.stem.removeprefix(NATIVE) for path in LIBRARIES.glob(f"{NATIVE}*.so"))
    return sorted(name for name in names if name != "operators")


def load_conf(vendor: str, libraries: Collection[str] = (), configs: Path = CONFIGS) -> Conf:
    """The vendor's own conf. Raises ConfError."""
    path = conf_path(vendor, configs)
    if not path.is_file():
        raise ConfError(f"{path}: no such file; make it: python -m generators.runtime --vendor {vendor}")
    return read_conf(path, libraries)


def read_conf(path: Path, libraries: Collection[str] = (), operators: Collection[str] = ()) -> Conf:
    """A conf file. `libraries` are native ones that can be routed to beside those that are built and the one that the conf is
    called after; `operators` are PyTorch's, where torch is at hand
    and their names are to be checked: then an operator that only other torch lines have is skipped. Raises ConfError with
    every mistake."""
    conf = Conf(path, {}, {})
    own = path.stem.removeprefix("backends_")
    libraries = dict.fromkeys([*libraries, *native_libraries(), *([own] if own != path.stem else [])])
    mistakes = []
    for line, content in enumerate(_read_text(path).split("\n"), start=1):
        if entry := content.partition("#")[0].strip():
            problems = _read_entry(entry, line, conf, libraries, operators)
            mistakes += [f"{path}:{line}: {problem}" for problem in problems]
    if len(mistakes) > MOST:
        mistakes[MOST:] = [f"{path}: and {len(mistakes) - MOST} more mistakes; is this a conf at all?"]
    if mistakes:
        raise ConfError("\n".join(mistakes))
    return conf


def _said(path: Path) -> str:
    """What tells one conf from another."""
    return path.stem.removeprefix("backends_")


def _read_text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise ConfError(f"{path}: is no file; expected a conf, {EXAMPLE}")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        others = {_said(file): file for file in (*CONFIGS.glob("*.conf"), *path.parent.glob("*.conf"))}
        near = difflib.get_close_matches(_said(path), others, 1)
        hint = f"did you mean {others[near[0]]}?" if near else f"expected a conf, {EXAMPLE}"
        raise ConfError(f"{path}: no such file; {hint}") from None
    except OSError as error:
        raise ConfError(f"{path}: cannot be read: {error.strerror}; expected a conf, {EXAMPLE}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfError(f"{path}:{line}: is not UTF-8; expected a conf, {EXAMPLE}") from None


def _shown(entry: str) -> str:
    """A line of a file that may be anything."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in entry[:80])
    return shown + ("…" if len(entry) > 80 else "")


def _read_entry(
    entry: str, line: int, conf: Conf, libraries: Collection[str], operators: Collection[str]
) -> Iterator[str]:
    """Add a line's route to the conf, or say what is wrong with it."""
    match = LINE.fullmatch(entry)
    if match is None:
        yield f"'{_shown(entry)}' is no route of an operator; expected 'op.overload = route', such as 'add.Tensor = cuda'"
        return
    operator, route = match["operator"], match["route"]
    if operator in conf.lines:
        yield f"'{operator}' is given twice (first on line {conf.lines[operator]}); keep one"
    conf.lines.setdefault(operator, line)
    elsewhere = where_it_is(operator) if operators and operator not in operators else ""
    if elsewhere:
        conf.skipped[operator] = elsewhere
    else:
        conf.routes.setdefault(operator, route)
    problems = ("" if elsewhere else check_operator(operator, operators), check_route(route, libraries))
    yield from (problem for problem in problems if problem)


def check_route(route: str, further: Collection[str] = ()) -> str:
    """What is wrong with a route; empty if it can be taken. `further` are the native libraries and what else may stand there."""
    known = [*ROUTES, *further]
    if route in known:
        return ""
    allowed = f"allowed are {', '.join(known)}"
    if route in NOT_BUILT:
        return f"route '{route}' is refused: {NOT_BUILT[route]}; {allowed}"
    near = difflib.get_close_matches(route.lower(), known, 1)
    return f"unknown route '{route}'" + (f", did you mean '{near[0]}'?" if near else "") + f"; {allowed}"


def check_operator(operator: str, operators: Collection[str] = ()) -> str:
    """What is wrong with an operator's name; empty if it is one of `operators`, or could be and there are none to compare."""
    name, _, overload = operator.partition(".")
    if overload == "default":
        return f"the overload without a name is written '{name}'"
    if not operators or operator in operators:
        return ""
    missing = f"PyTorch has no operator '{operator}'"
    if overloads := sorted(known for known in operators if known.partition(".")[0] == name):
        return f"{missing}; under that name it has {', '.join(overloads)}"
    near = difflib.get_close_matches(operator, {*operators, *torch_lines().operators}, 1)
    return missing + (f"; did you mean '{near[0]}'?" if near else "")


def render_routes(operators: Iterable[str], route: str) -> str:
    """A conf in which all of these have that route."""
    return "".join(f"{operator} = {route}\n" for operator in operators)


def route_of(key: str) -> str:
    """The route to the kernels of a dispatch key."""
    return next(route for route, boxed in BOXED.items() if boxed == key)


def operators_of_torch() -> frozenset[str]:
    """The ATen operators of the installed PyTorch, as a conf names them. Imports torch."""
    import torch

    names = torch._C._dispatch_get_all_op_names()
    return frozenset(name.removeprefix("aten::") for name in names if name.startswith("aten::"))
