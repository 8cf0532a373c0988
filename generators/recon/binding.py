"""Which argument of an SDK's function each parameter of a slot becomes, and how well the two fit."""

from __future__ import annotations

from dataclasses import dataclass, field

from generators.contract import Function
from generators.map.forms import Argument
from generators.recon.headers import SdkFunction
from generators.recon.lexicon import AMOUNT, BLOCKING, LIMIT, PARAMETER_WORDS, words_of
from generators.recon.readings import query_results
from generators.recon.roles import Api, base_of

# What a parameter of the contract may meet in an SDK, and how well.
FITS: dict[str, dict[str, float]] = {
    "int": {"int": 1, "size": 0.6},
    "kind": {"kind": 1},
    "size": {"size": 1, "int": 0.8},
    "pointer": {"pointer": 1, "const pointer": 0.3},
    "const pointer": {"const pointer": 1, "pointer": 0.9},
    "stream": {"stream": 1},
    "event": {"event": 1, "list:event": 0.8},
    "out:pointer": {"out:pointer": 1},
    "out:int": {"out:int": 1, "out:size": 0.7},
    "out:size": {"out:size": 1, "out:int": 0.4},
    "out:float": {"out:float": 1},
    "out:stream": {"out:stream": 1},
    "out:event": {"out:event": 1},
    "out:struct": {"out:struct": 1},
}
CONTRACT_ROLES = {
    "int": "int",
    "unsigned int": "int",
    "int *": "out:int",
    "float *": "out:float",
    "unsigned long": "size",
    "unsigned long *": "out:size",
    "void *": "pointer",
    "void **": "out:pointer",
    "const void *": "const pointer",
    "MemcpyKind": "kind",
    "PointerAttributes *": "out:struct",
    "Stream *": "stream",
    "Stream **": "out:stream",
    "Event *": "event",
    "Event **": "out:event",
}
EVENT_LISTS = ("list:event", "out:event", "event")
DISPENSABLE = {"flags", "priority", "kind"}  # what an SDK may lack and still fill the slot


@dataclass
class Binding:
    """How a function would be called for a slot."""

    arguments: list[Argument]
    fit: float  # 0 to 1
    named: float = 0  # how well the parameters' names agree: a tie is broken by it
    returns: str = ""  # the slot's parameter that the function returns
    result: str = ""  # type of the argument that carries the slot's result
    remarks: list[str] = field(default_factory=list)  # what a reviewer should know of the signature
    doubts: list[str] = field(default_factory=list)  # why it may be wrong


def bind(function: SdkFunction, slot: Function, api: Api) -> Binding:
    """The arguments of a call of `function` for `slot`."""
    roles = api.roles(function)
    wanted = {p.name: CONTRACT_ROLES[p.type.replace("struct ", "").replace("enum ", "")] for p in slot.parameters}
    binding = Binding([Argument("choose", str(p.formal)) for p in function.parameters], 0)
    taken: dict[int, str] = {}
    score, total = 0.0, 0.0
    returned = _returned_role(function, api)
    for name, role in wanted.items():
        weight = 0.4 if name in DISPENSABLE else 1.0
        total += weight
        fits = FITS[role]
        if slot.name == "EventRecord" and role == "event":
            fits = fits | {"out:event": 0.7}  # some SDKs make an event by recording it
        candidates = [
            (fits[found] + _affinity(name, function.parameters[index].formal.name), -index)
            for index, found in enumerate(roles)
            if index not in taken and found in fits and not _is_amount(name, function.parameters[index].formal.name)
        ]
        if role.startswith("out:") and returned == role:
            binding.returns = name
            score += weight
        elif candidates:
            best, index = max(candidates)
            binding.named += best - fits[roles[-index]]
            _doubt_order(binding, candidates, name, function, wanted, role)
            taken[-index] = name
            score += weight * fits[roles[-index]]
    fitted = score / total if total else 1.0
    for index, name in taken.items():
        form = "address" if roles[index] == "list:event" else "parameter"
        binding.arguments[index] = Argument(form, name)
    extra = 0.0
    for index, parameter in enumerate(function.parameters):
        if index not in taken:
            extra += _fill(
                binding, index, parameter.formal.name, parameter.formal.default, roles, slot, taken, function, api
            )
    if returned == "other":
        extra += 0.4
        binding.doubts.append(f"returns {function.declaration.returns}, not a status")
    binding.fit = max(0.0, fitted - extra)
    _remark_order(binding, slot)
    return binding


def _returned_role(function: SdkFunction, api: Api) -> str:
    """What the returned value is: "status", "nothing", a role of an output, or "other"."""
    spelled = function.declaration.returns
    if spelled == api.status:
        return "status"
    if function.returns == "void":
        return "nothing"
    if function.returns == "void *":
        return "out:pointer" if base_of(spelled) not in api.handles else f"out:{api.handles[base_of(spelled)]}"
    role = api.handles.get(base_of(spelled), "")
    return f"out:{role}" if role in ("stream", "event") and "*" not in spelled else "other"


def _affinity(name: str, sdk_name: str) -> float:
    """How much two parameters' names agree: enough to choose between two of one type."""
    words = set(words_of(sdk_name))
    return 0.2 * len(words & PARAMETER_WORDS.get(name, frozenset())) / max(1, len(words)) if words else 0.0


def _is_amount(name: str, sdk_name: str) -> bool:
    return name in ("flags", "priority", "value") and bool(AMOUNT & set(words_of(sdk_name)))


def _doubt_order(
    binding: Binding,
    candidates: list[tuple[float, int]],
    name: str,
    function: SdkFunction,
    wanted: dict[str, str],
    role: str,
) -> None:
    """Two parameters of one type whose names do not say which is which: their order is a guess."""
    rivals = sum(other == role for other in wanted.values())
    best = max(candidates)[0]
    if rivals > 1 and sum(score == best for score, _ in candidates) > 1:
        names = [function.parameters[-index].formal.name or "?" for score, index in candidates if score == best]
        binding.doubts.append(f"which of {', '.join(names)} is {name}? taken in order")


def _fill(
    binding: Binding,
    index: int,
    name: str,
    default: str,
    roles: list[str],
    slot: Function,
    taken: dict[int, str],
    function: SdkFunction,
    api: Api,
) -> float:
    """Choose an argument that no parameter of the slot is for; returns what it costs the fit."""
    role, words, type_ = roles[index], set(words_of(name)), function.parameters[index].formal.type
    sizes = [value for at, value in taken.items() if roles[at] in ("size", "int") and value in ("size", "count")]

    def put(form: str, value: object, cost: float, remark: str = "") -> float:
        binding.arguments[index] = Argument(form, value)
        if remark:
            binding.remarks.append(remark)
        return cost

    if default:
        return put("const", default, 0.02, f"{name} has the default {default}")
    if role == "size" and sizes and words & LIMIT:
        return put("parameter", sizes[0], 0.05, f"{name} limits the size")
    if role == "int" and words & BLOCKING:
        return put("number", 0 if "Async" in slot.name else 1, 0.02, f"{name} says whether the call blocks")
    if role == "int" and words & {"flag", "flags"}:
        return put("number", 0, 0.05, f"{name} is 0")
    if (role == "int" and words & {"device", "dev"}) or name in ("deviceId", "devid"):
        return put("state", "device_index", 0.1)
    if (
        role == "int"
        and words & {"num", "count"}
        and index + 1 < len(roles)
        and roles[index + 1] in ("list:event", "event")
    ):
        own = taken.get(index + 1)
        return put("number", 1 if own else 0, 0.02)
    if "pattern" in words and any(p.name == "value" for p in slot.parameters):
        if role == "const pointer":
            taken[index] = "value"
            return put("address", "value", -0.1, "the value is passed by address")
        if role == "size":
            return put("number", 1, 0.02)
    if role == "list:event" or (role in ("out:event", "event") and "Event" not in slot.name):
        return put("null", None, 0.05)
    if role == "stream":
        binding.remarks.append(f"takes a stream: {name}")
        return put("state", "default_stream", 0.3)
    if role == "out:enum" and slot.name in ("StreamQuery", "EventQuery") and query_results(base_of(type_), api):
        binding.result = base_of(type_)
        return put("result", binding.result, 0.05, f"the result comes back in {name}")
    if role == "out:int" and words & {"err", "error", "errcode", "status"}:
        return put("status", base_of(type_), 0.05, f"the status comes back in {name}")
    if role.startswith("handle:"):
        return put("state", api.handles[role.removeprefix("handle:")], 0.05, f"needs a {role.removeprefix('handle:')}")
    binding.doubts.append(f"{function.parameters[index].formal} must be chosen")
    if role.startswith("enum:"):
        return 0.1
    return 0.25 if role in ("callback", "event", "kind", "pointer", "const pointer") else 0.12


def _remark_order(binding: Binding, slot: Function) -> None:
    order = [p.name for p in slot.parameters]
    given = [a.value for a in binding.arguments if a.form == "parameter" and a.value in order]
    if sorted(given, key=order.index) != given:
        binding.remarks.append(f"argument order: {', '.join(given)}")
    if binding.returns:
        binding.remarks.append(f"{binding.returns} is returned")
