"""Operators that run kernels of the device instead of the CPU fallback: what the vendor's conf and the environment say.

Chosen once, with the first use of the device: registration with PyTorch's dispatcher is the choice, so no call looks
anything up and another conf needs no build.
"""

import difflib
import os
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache

from .. import _C, _preloaded  # type: ignore[attr-defined]
from ..conf import BOXED, CONF, ConfError, check_route, conf_in_use, native_libraries, operators_of_torch, read_conf
from ..torch_lines import torch_lines, where_it_is

OVERRIDE = "FLAGOS_OP_"
LOG = "FLAGOS_LOG_DISPATCH"
DEVICE_NAMED = {"FLAGOS_ACCELERATOR", "FLAGOS_RUNTIME_LIBRARY"}  # either says whose device it is
FALLBACK = "fallback"  # an override that takes an operator's route away
KERNELS_OF = {route: key.lower() for route, key in BOXED.items()}  # the type of device whose kernels a route runs


@dataclass
class Choice:
    routes: dict[str, str] = field(default_factory=dict)  # "add.Tensor" -> "cuda"
    given: dict[str, str] = field(
        default_factory=dict
    )  # the same -> by what: "FLAGOS_OP_add_Tensor", or the conf's line
    skipped: dict[str, str] = field(default_factory=dict)  # lines of the conf for other torch lines -> which these are


def choose(vendor: str, environment: Mapping[str, str], operators: Collection[str]) -> Choice:
    """The conf that the environment names, else the vendor's, and what the environment changes in it. `operators` are
    PyTorch's. Raises ConfError with every mistake."""
    chosen, mistakes = Choice(), []
    named, path = environment.get(CONF), conf_in_use(vendor, environment)
    if named or path.is_file():
        try:
            conf = read_conf(path, operators=operators)
            given = {operator: f"{conf.path}:{line}" for operator, line in conf.lines.items()}
            chosen = Choice(conf.routes, given, conf.skipped)
        except ConfError as error:
            mistakes += [f"{CONF}: {mistake}" if named else mistake for mistake in str(error).splitlines()]
    by_name: dict[str, list[str]] = {}
    for operator in {*operators, *torch_lines().operators}:
        by_name.setdefault(operator.replace(".", "_"), []).append(operator)
    for variable, route in sorted(environment.items()):
        if not (variable.startswith(OVERRIDE) and route):
            continue
        names = sorted(by_name.get(variable.removeprefix(OVERRIDE), ()))
        if problem := _check_override(variable, names, operators, by_name):
            mistakes.append(f"{variable}: {problem}")
        elif route == FALLBACK:
            chosen.routes.pop(names[0], None)
        elif problem := check_route(route, [*native_libraries(), FALLBACK]):
            mistakes.append(f"{variable}: {problem}")
        else:
            chosen.routes[names[0]], chosen.given[names[0]] = route, variable
    if environment.get(LOG, "") not in ("", "0", "1"):
        mistakes.append(
            f"{LOG}={environment[LOG]}: expected 1 (each call tells what runs it), or 0 or nothing (none does)"
        )
    if mistakes:
        raise ConfError("\n".join(mistakes))
    return chosen


def _check_override(variable: str, names: list[str], operators: Collection[str], known: Collection[str]) -> str:
    """What is wrong with a variable's name, which is that of `names`; empty if this is one operator, and PyTorch's."""
    if len(names) > 1:
        return f"could be {' or '.join(names)}; name the operator in a conf: {CONF}"
    if names and names[0] in operators:
        return ""
    if names:
        return f"this torch has no operator {names[0]}, it is in {where_it_is(names[0])}; unset the variable"
    name = variable.removeprefix(OVERRIDE)
    if overloads := sorted(operator for operator in operators if operator.partition(".")[0] == name):
        variables = (OVERRIDE + operator.replace(".", "_") for operator in overloads)
        return f"PyTorch has no such operator; its overloads are {', '.join(variables)}"
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {OVERRIDE}{near[0]}?" if near else f"add.Tensor, say, is {OVERRIDE}add_Tensor"
    return f"PyTorch has no such operator; {hint}"


def register(chosen: Choice) -> None:
    """Raises RuntimeError with every route that leads nowhere and every operator that could not be registered, and then
    registers none."""
    nowhere, problems = [], []
    for route in sorted(set(chosen.routes.values())):
        operators = sorted(operator for operator, own in chosen.routes.items() if own == route)
        try:
            boxed = KERNELS_OF.get(route)
            refused = _C.route_operators(operators, boxed) if boxed else _C.route_to_library(operators, route)
        except RuntimeError as error:
            why, first = str(error).partition("\n")[0].removeprefix("flagos: "), chosen.given[operators[0]]
            nowhere.append(f"flagos: {why} (operators with the route {route}: {len(operators)}, the first in {first})")
            continue
        for problem in refused:
            given = chosen.given[problem.partition(": ")[0]]
            problems.append(f"{given}: {problem} (route {route})")
    if problems:
        problems.insert(0, "flagos: these operators cannot be routed; take their routes out:")
    if nowhere or problems:
        _C.unroute_operators()
        raise RuntimeError("\n".join([*nowhere, *problems]))


def _leads_off_the_cpu(chosen: Choice) -> bool:
    return any(KERNELS_OF.get(route, "cpu") != "cpu" for route in chosen.routes.values())


@cache
def apply() -> Choice:
    """Registers what is chosen for this process, once; a failure is raised each time."""
    try:
        chosen = choose(_C.runtime_info()["vendor"], os.environ, operators_of_torch())
    except ConfError as error:
        raise RuntimeError(f"flagos: {error}") from None
    register(chosen)
    if _preloaded.must_work() and not DEVICE_NAMED & os.environ.keys() and not _leads_off_the_cpu(chosen):
        info = _C.runtime_info()
        warnings.warn(
            f"CUDA libraries were preloaded and no operator runs on them: the device is that of vendor '{info['vendor']}' "
            f"({info['chosen']}), and its conf routes none there. Demand another: FLAGOS_ACCELERATOR=NAME",
            RuntimeWarning,
            stacklevel=2,
        )
    return chosen
