"""What the schema of a map cannot say: entries that contradict each other, the contract or the SDK's declarations."""

from __future__ import annotations

from collections.abc import Iterator

from generators.contract import Function, read_contract
from generators.declaration import Declaration, DeclarationError, parse_declaration, same_type
from generators.documents import Block, did_you_mean
from generators.map.forms import (
    AFTER,
    ARGUMENT_FORMS,
    BEFORE,
    EMULATIONS,
    FLAGS_OF,
    HOST_COPY,
    KEPT,
    KINDS,
    UNSUPPORTED,
    Argument,
    read_argument,
)
from generators.map.schema import CONTRACT_SLOTS, CONTRACT_VIRTUALS, REQUIRED, SOURCE
from generators.sdk import check_sdk

Mistakes = Iterator[tuple[int, str]]


def check_meaning(data: Block, folder: str) -> Mistakes:
    missing = [key for key in REQUIRED if key not in data]
    yield from ((1, f"the key '{key}' is missing") for key in missing)
    if missing:
        return
    if data["vendor"] != folder:
        yield data.lines["vendor"], f"vendor: '{data['vendor']}' lies in a folder named '{folder}'"
    yield from ((data["sdk"].line, text.removeprefix(": ")) for text in check_sdk(data["sdk"], ": sdk"))
    yield from _check_keys(data, "provides_caching", ("value", "reason"))
    yield from _check_keys(data, "status", ("type", "success"))
    if "layer" in data:
        yield from _check_keys(data, "layer", ("name", "reason"))
    for key in ("text", "name", "clear"):
        if key in data["status"]:
            yield from _check_declaration(data["status"], key, f"status.{key}")
    if "no_driver" in data["status"]:
        yield from _check_keys(data["status"], "no_driver", ("code", "version"), "status.")
        if "version" in data["status"]["no_driver"]:
            yield from _check_declaration(data["status"]["no_driver"], "version", "status.no_driver.version")
    if data["status"].get("success") in data["errors"]:
        line = data["errors"].lines[data["status"]["success"]]
        yield line, f"errors.{data['status']['success']}: is the code of success (status.success)"
    for name, state in data.get("state", {}).items():
        if name in KEPT:
            yield data["state"].lines[name], f"state.{name}: the runtime keeps this itself"
        for key in ("type", "per", "call"):
            if key not in state:
                yield state.line, f"state.{name}: the key '{key}' is missing"
        yield from _check_call(state, f"state.{name}", {"self": "void **"}, data)
    if "setup" in data:
        yield from _check_call(data["setup"], "setup", {}, data)
    absent = [name for name in CONTRACT_SLOTS if name not in data["slots"]]
    if absent:
        yield data.lines["slots"], f"slots: {', '.join(absent)} missing; each of the 28 needs an entry, if only a gap"
    if "get_memory_info" not in data["virtuals"]:
        yield data.lines["virtuals"], "virtuals: get_memory_info missing; the nine others are slots by another name"
    for section, functions in (("slots", CONTRACT_SLOTS), ("virtuals", CONTRACT_VIRTUALS)):
        for name, slot in data[section].items():
            yield from _check_slot(slot, f"{section}.{name}", functions[name], data)
    yield from _check_missing(data)
    yield from _check_tables(data)


def _check_keys(data: Block, key: str, required: tuple[str, ...], path: str = "") -> Mistakes:
    for inner in required:
        if data[key].get(inner) in (None, ""):
            yield data.lines[key], f"{path}{key}: the key '{inner}' is missing or empty"


def _check_declaration(data: Block, key: str, path: str) -> Mistakes:
    try:
        parse_declaration(data[key])
    except DeclarationError as error:
        yield data.lines[key], f"{path}: {error}, found '{data[key]}'"


FORMS = ("call", "forward", "emulation", "gap")
# What may stand beside each form; `source`, `note` and `proposal` may always.
BESIDE = {
    "call": ("args", "returns", "results", "errors", "otherwise", "scale", "attributes", "before", "after", "calls"),
    "forward": ("args", "reason"),
    "emulation": ("calls", "reason", "consequence"),
    "gap": ("reason", "consequence"),
}


def _check_slot(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    forms = [key for key in FORMS if key in slot]
    if len(forms) != 1:
        found = " and ".join(f"'{key}'" for key in forms) or "none"
        yield slot.line, f"{path}: expected one of {', '.join(FORMS)}, found {found}"
        return
    form = forms[0]
    for key in slot:
        if key not in (form, "source", "note", "proposal", *BESIDE[form]):
            yield slot.lines[key], f"{path}.{key}: does not go with '{form}', which takes {', '.join(BESIDE[form])}"
    yield from _check_source(slot, path)
    if form in ("gap", "emulation"):
        for key in ("reason", "consequence") if form == "gap" else ("consequence",):
            if not slot.get(key):
                yield slot.line, f"{path}: the key '{key}' is missing: what does it mean for users of PyTorch?"
    names = {p.name: p.type for p in function.parameters}
    if form == "call":
        yield from _check_call(slot, path, names, data, function)
        yield from _check_steps(slot, path, function, data)
        yield from _check_attributes(slot, path, function)
    elif form == "forward":
        yield from _check_forward(slot, path, function, data)
    elif form == "emulation":
        yield from _check_emulation(slot, path, function, data)


def _check_source(data: Block, path: str) -> Mistakes:
    if "source" not in data:
        yield data.line, f"{path}: the key 'source' is missing: where was it read, and did a person confirm it?"
        return
    for key in SOURCE:
        if key not in data["source"]:
            yield data["source"].line, f"{path}.source: the key '{key}' is missing"


def _check_call(
    call: Block, path: str, names: dict[str, str], data: Block, function: Function | None = None
) -> Mistakes:
    """A call whose arguments may use `names` (name -> C type), and must pass on every parameter of `function`."""
    if function is None:
        yield from _check_source(call, path)
    if "call" not in call:
        yield call.line, f"{path}: the key 'call' is missing"
        return
    line = call.lines["call"]
    try:
        declaration = parse_declaration(call["call"])
    except DeclarationError as error:
        yield line, f"{path}.call: {error}, found '{call['call']}'"
        return
    if "args" not in call:
        yield line, f"{path}: the key 'args' is missing: one for each parameter of {declaration.name}"
        return
    line = call.lines["args"]
    arguments = [read_argument(argument) for argument in call["args"]]
    if len(arguments) != len(declaration.parameters):
        yield (
            line,
            f"{path}.args: {declaration.name} takes {len(declaration.parameters)} arguments, found {len(arguments)}",
        )
    states = (*data.get("state", {}), *KEPT)
    for index, argument in enumerate(arguments):
        at = f"{path}.args[{index}]"
        if argument.form == "parameter" and argument.value not in names:
            hint = did_you_mean(argument.value, [*names, *(f"{{{form}: …}}" for form in ARGUMENT_FORMS)])
            yield line, f"{at}: '{argument.value}' is no parameter here; {hint}"
        elif argument.form == "state" and argument.value not in states:
            yield line, f"{at}: unknown state '{argument.value}'; {did_you_mean(argument.value, states)}"
        elif argument.form == "address" and argument.value not in (*names, *states):
            yield (
                line,
                f"{at}: '{argument.value}' is no parameter or state; {did_you_mean(argument.value, [*names, *states])}",
            )
        elif argument.form == "choose" and call.get("source", {}).get("confirmed"):
            yield line, f"{at}: an open question cannot be confirmed; choose the argument, or source.confirmed: false"
    yield from _check_result(call, path, declaration, arguments, names, data)
    if function is not None:
        yield from _check_passed_on(call, path, arguments, function)


def _check_result(
    call: Block, path: str, declaration: Declaration, arguments: list[Argument], names: dict[str, str], data: Block
) -> Mistakes:
    """The SDK's status and the slot's outputs come back in exactly one way each."""
    status = same_type(data["status"].get("type", ""))
    returned = same_type(declaration.returns)
    if "returns" in call:
        if returned == "void" or (returned == status and "status" in data and returned != "int"):
            yield call.lines["returns"], f"{path}.returns: {declaration.name} returns {declaration.returns}, no value"
        if call["returns"] not in names:
            yield (
                call.lines["returns"],
                f"{path}.returns: unknown parameter '{call['returns']}'; {did_you_mean(call['returns'], names)}",
            )
    elif returned not in ("void", status):
        yield (
            call.lines["call"],
            (
                f"{path}: {declaration.name} returns {declaration.returns}, which is neither {data['status'].get('type')} "
                "(status.type) nor void: name the parameter that this value is for: 'returns:'"
            ),
        )
    has_result = sum(argument.form == "result" for argument in arguments)
    if has_result != ("results" in call):
        yield call.lines["call"], f"{path}: 'results:' and one argument {{result: TYPE}} belong together"
    if "scale" in call and path.rpartition(".")[2] not in ("EventElapsedTime", "timestamp"):
        yield call.lines["scale"], f"{path}.scale: only for EventElapsedTime"


def _check_passed_on(call: Block, path: str, arguments: list[Argument], function: Function) -> Mistakes:
    """Every parameter of the slot reaches the SDK, except a direction that the SDK reads off the pointers, and flags
    of which the contract has only one."""
    used = {argument.value for argument in arguments if argument.form in ("parameter", "address")}
    used.add(call.get("returns", ""))
    optional = {"kind"} | ({"flags"} if function.name in ("StreamWaitEvent", "StreamCreateWithPriority") else set())
    if any(argument.form == "choose" for argument in arguments):
        return
    for parameter in function.parameters:
        if parameter.name not in used | optional:
            hint = ", or 'emulation: drop_flags'" if parameter.name == "flags" else ""
            hint = ", or 'emulation: no_priorities'" if parameter.name == "priority" else hint
            yield (
                call.lines.get("args", call.line),
                f"{path}.args: the parameter '{parameter.name}' reaches no argument{hint}",
            )


def _check_steps(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    wanted: dict[str, tuple[str, ...]] = {}
    for key, steps in (("before", BEFORE), ("after", AFTER)):
        for name in slot.get(key, ()):
            step = steps[name]
            if function.name not in step.slots:
                yield slot.lines[key], f"{path}.{key}: '{name}' goes with {', '.join(step.slots)} only"
            if step.call is not None:
                wanted[name] = step.call
    yield from _check_parts(slot, path, wanted, data)


def _check_parts(slot: Block, path: str, wanted: dict[str, tuple[str, ...]], data: Block) -> Mistakes:
    calls = slot.get("calls", {})
    for name in wanted:
        if name not in calls:
            yield slot.line, f"{path}: needs an SDK call under calls.{name}"
    for name, call in calls.items():
        if name not in wanted:
            known = did_you_mean(name, wanted) if wanted else "none is needed here"
            yield slot["calls"].lines[name], f"{path}.calls.{name}: unknown call; {known}"
        else:
            yield from _check_call(call, f"{path}.calls.{name}", dict.fromkeys(wanted[name], "void *"), data)


def _check_attributes(slot: Block, path: str, function: Function) -> Mistakes:
    if function.name != "PointerGetAttributes":
        if "attributes" in slot:
            yield slot.lines["attributes"], f"{path}.attributes: only for PointerGetAttributes"
        return
    if "attributes" not in slot:
        yield slot.line, f"{path}: the key 'attributes' is missing: the SDK's struct and its fields"
        return
    attributes = slot["attributes"]
    for key in ("struct", "type", "types"):
        if key not in attributes:
            yield attributes.line, f"{path}.attributes: the key '{key}' is missing"
    for variant in attributes.get("variants", ()):
        if not variant.get("when"):
            yield (
                variant.line,
                f"{path}.attributes.variants: the key 'when' is missing: a condition of the preprocessor",
            )
    for reading, at in ((attributes, ""), *((variant, ".variants") for variant in attributes.get("variants", ()))):
        if not reading.get("types", {"Device": True}).get("Device"):
            yield reading.line, f"{path}.attributes{at}.types: nothing means Device"


def _check_forward(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    target = CONTRACT_SLOTS.get(slot["forward"])
    line = slot.lines["forward"]
    if target is None or target.name == function.name:
        others = [name for name in CONTRACT_SLOTS if name != function.name]
        yield line, f"{path}.forward: unknown slot '{slot['forward']}'; {did_you_mean(slot['forward'], others)}"
        return
    if "gap" in data["slots"].get(target.name, {}) or "forward" in data["slots"].get(target.name, {}):
        yield line, f"{path}.forward: {target.name} is itself a gap or a forward"
    arguments = [str(argument) for argument in slot.get("args", [p.name for p in function.parameters])]
    if len(arguments) != len(target.parameters):
        yield line, f"{path}: {target.name} takes {len(target.parameters)} arguments, found {len(arguments)}"
    constants = {name for values in read_contract().enums.values() for name in values}
    for argument in arguments:
        names = [p.name for p in function.parameters]
        if argument not in names and argument not in constants and not argument.lstrip("-").isdigit():
            yield (
                line,
                f"{path}.args: '{argument}' is no parameter or constant of the contract; {did_you_mean(argument, [*names, *constants])}",
            )


def _check_emulation(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    name = slot["emulation"]
    emulation = EMULATIONS[name]
    if function.name not in emulation.slots:
        fitting = ", ".join(key for key, value in EMULATIONS.items() if function.name in value.slots) or "none"
        yield (
            slot.lines["emulation"],
            f"{path}.emulation: '{name}' does not fit; for {function.name} there is: {fitting}",
        )
    for needed in emulation.needs:
        if "gap" in data["slots"].get(needed, {}):
            yield slot.lines["emulation"], f"{path}.emulation: '{name}' needs {needed}, which is a gap"
    asynchronous = f"{function.name}Async"
    if name == "async_then_wait" and data["slots"].get(asynchronous, {}).get("emulation") == "wait_then_block":
        yield (
            slot.lines["emulation"],
            f"{path}.emulation: '{name}' needs {asynchronous}, which is made of {function.name}",
        )
    yield from _check_parts(slot, path, emulation.calls, data)


def _check_missing(data: Block) -> Mistakes:
    """The finding that reviewers read first agrees with the entries."""
    entries = {**data["slots"], **data["virtuals"]}
    derived = [name for name, slot in entries.items() if "gap" in slot or "emulation" in slot]
    line = data.lines["missing_slots"]
    for name in data["missing_slots"]:
        if name not in entries:
            yield line, f"missing_slots: unknown slot '{name}'; {did_you_mean(name, entries)}"
        elif name not in derived:
            yield line, f"missing_slots: {name} is listed, but its entry calls the SDK"
    for name in derived:
        if name not in data["missing_slots"]:
            yield line, f"missing_slots: {name} is a gap or an emulation and must be listed"


def _check_tables(data: Block) -> Mistakes:
    """What the arguments use is translated: copy kinds, flags, handles, not-ready codes."""
    used: dict[str, str] = {}  # "Slot.parameter" that reaches the SDK -> the type of the contract
    for name, function in CONTRACT_SLOTS.items():
        slot = data["slots"].get(name, {})
        if "call" in slot:
            given = {argument for argument in slot.get("args", ()) if isinstance(argument, str)}
            used |= {f"{name}.{p.name}": p.type for p in function.parameters if p.name in given}
    line = data.lines["slots"]
    kinds = data.get("kinds", {})
    if any(name.endswith(".kind") for name in used):
        for kind in KINDS:
            if kind not in kinds:
                at = data.lines.get("kinds", line)
                yield at, f"kinds: {kind} is missing: its constant, '{HOST_COPY}' or '{UNSUPPORTED}'"
    flags = data.get("flags", {})
    for slot_name, names in FLAGS_OF.items():
        for name in names:
            if f"{slot_name}.flags" in used and name not in flags:
                at = data.lines.get("flags", line)
                yield at, f"flags: {name} is missing: slots.{slot_name} passes its flags on"
    for handle in ("stream", "event"):
        passed = any(c_type.startswith(f"{handle.title()} *") for c_type in used.values())
        if passed and "type" not in data.get("handles", {}).get(handle, {}):
            yield (
                data.lines.get("handles", line),
                f"handles.{handle}: the key 'type' is missing: slots pass it to the SDK",
            )
    for name in ("StreamQuery", "EventQuery"):
        slot = data["slots"].get(name, {})
        if "call" not in slot or any(
            isinstance(argument, dict) and "choose" in argument for argument in slot.get("args", ())
        ):
            continue
        readings = {*data["errors"].values(), *slot.get("errors", {}).values(), *slot.get("results", {}).values()}
        if "ErrorNotReady" not in readings | {slot.get("otherwise")}:
            yield (
                slot.line,
                (
                    f"slots.{name}: nothing means ErrorNotReady: name the code in 'errors', the value in 'results', "
                    "or say 'otherwise: ErrorNotReady'"
                ),
            )
