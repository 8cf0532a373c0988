"""Operators that run kernels of the device instead of the CPU fallback: what the vendor's conf and the environment say.

Chosen once, with the first use of the device: registration with PyTorch's dispatcher is the choice, so no call looks
anything up and another conf needs no build.
"""

import difflib
import os
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from .. import _C  # type: ignore[attr-defined]
from ..conf import ConfError, check_route, conf_path, operators_of_torch, read_conf

CONF = "FLAGOS_BACKEND_CONFIG"
OVERRIDE = "FLAGOS_OP_"
FALLBACK = "fallback"  # an override that takes an operator's route away
KERNELS_OF = {"cuda": "cuda", "host": "cpu"}  # route -> the type of device whose kernels it runs


def chosen_routes(vendor: str, environment: Mapping[str, str], operators: Collection[str]) -> dict[str, str]:
    """ "add.Tensor" -> "cuda": the conf that the environment names, else the vendor's, and what the environment changes in
    it. `operators` are PyTorch's. Raises ConfError with every mistake."""
    routes: dict[str, str] = {}
    named = environment.get(CONF)
    if named or conf_path(vendor).is_file():
        routes |= read_conf(Path(named) if named else conf_path(vendor), operators=operators).routes
    mistakes = []
    by_name = {operator.replace(".", "_"): operator for operator in operators}
    for variable, route in sorted(environment.items()):
        name = variable.removeprefix(OVERRIDE)
        if name == variable:
            continue
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 1)
            hint = f"did you mean {OVERRIDE}{near[0]}?" if near else f"add.Tensor, say, is {OVERRIDE}add_Tensor"
            mistakes.append(f"{variable}: PyTorch has no such operator; {hint}")
        elif route == FALLBACK:
            routes.pop(by_name[name], None)
        elif problem := check_route(route):
            mistakes.append(f"{variable}: {problem}, {FALLBACK}")
        else:
            routes[by_name[name]] = route
    if mistakes:
        raise ConfError("\n".join(mistakes))
    return routes


def register(routes: Mapping[str, str]) -> None:
    """Raises RuntimeError with every operator that could not be registered, and then registers none."""
    problems = []
    for route in sorted(set(routes.values())):
        operators = sorted(operator for operator, own in routes.items() if own == route)
        problems += [f"{problem} (route {route})" for problem in _C.route_operators(operators, KERNELS_OF[route])]
    if problems:
        _C.unroute_operators()
        raise RuntimeError("\n".join(["flagos: these operators cannot be routed as the conf says:", *problems]))


@cache
def apply() -> dict[str, str]:
    """Registers what is chosen for this process, once; a failure is raised each time. Returns the routes."""
    try:
        routes = chosen_routes(_C.runtime_info()["vendor"], os.environ, operators_of_torch())
    except ConfError as error:
        raise RuntimeError(f"flagos: {error}") from None
    register(routes)
    return routes
