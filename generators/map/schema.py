"""The keys of a map and the kinds of their values."""

from __future__ import annotations

from typing import Any

import yaml

from generators.contract import read_contract
from generators.documents import Choice, Shape, Table, did_you_mean, is_scalar
from generators.map.forms import AFTER, ARGUMENT_FORMS, BEFORE, EMULATIONS, FLAGS, KINDS, MEMORY_TYPES
from generators.sdk import SDK_SCHEMA


def _check_argument(node: yaml.Node) -> str:
    if is_scalar(node, str, int, type(None)) or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
        return ""
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        return f"expected a parameter's name, a number, null, or one of {{{': …}, {'.join(ARGUMENT_FORMS)}: …}}"
    key, value = node.value[0]
    if not is_scalar(key, str) or key.value not in ARGUMENT_FORMS:
        word = key.value if isinstance(key, yaml.ScalarNode) else "a list"
        return f"unknown form of an argument '{word}'; {did_you_mean(str(word), ARGUMENT_FORMS)}"
    if key.value == "array":
        good = isinstance(value, yaml.SequenceNode) and all(is_scalar(item, str, int) for item in value.value)
        return "" if good else "array: expected a list of constants"
    return "" if is_scalar(value, str, int) else f"{key.value}: expected a word"


ERRORS = tuple(name for name in read_contract().enums["Error_t"] if name != "Success")
SOURCE = {
    "kind": Choice(("sdk", "public"), "kind of source"),  # the SDK's own headers, or public text about it
    "where": str,
    "confirmed": bool,  # by a person
}
CALL: dict[str, Any] = {
    "call": str,
    "args": [Shape(_check_argument)],
    "returns": str,
    "results": Table(Choice(("Success", *ERRORS), "result"), "value"),
    "errors": Table(Choice(ERRORS, "error"), "code"),
    "otherwise": Choice(ERRORS, "error"),
    "scale": float,
    "source": SOURCE,
}
READING: dict[str, Any] = {
    "type": str,
    "device": str,
    "pointer": str,
    "types": Table([str], "memory type", MEMORY_TYPES),
}
SLOT: dict[str, Any] = CALL | {
    "attributes": READING | {"struct": str, "unmanaged": [str], "variants": [READING | {"when": str}]},
    "before": [Choice(tuple(BEFORE), "step before the call")],
    "after": [Choice(tuple(AFTER), "step after the call")],
    "forward": str,
    "emulation": Choice(tuple(EMULATIONS), "emulation"),
    "calls": Table(CALL, "call"),
    "gap": Choice(("unsupported", "expected_failure"), "kind of gap"),
    "reason": str,
    "consequence": str,
    "note": str,
    "proposal": {"confidence": Choice(("high", "low"), "confidence"), "why": str, "alternatives": [str]},
}
CONTRACT_SLOTS = {slot.name: slot for slot in read_contract().slots}
CONTRACT_VIRTUALS = {virtual.name: virtual for virtual in read_contract().virtuals}
SCHEMA: dict[str, Any] = {
    "vendor": str,
    "layer": {"name": str, "reason": str},
    "missing_slots": [str],
    "provides_caching": {"value": bool, "reason": str},
    "sdk": SDK_SCHEMA,
    "setup": CALL | {"tolerate": [str]},
    "status": {
        "type": str,
        "success": str,
        "sign": Choice(("as_declared", "negated", "either"), "sign"),
        "text": str,
        "name": str,
        "clear": str,
        "no_device": [str],
        "no_driver": {"code": str, "version": str},
    },
    "errors": Table(Choice(ERRORS, "error"), "code"),
    "handles": {
        "stream": {"type": str, "default": Choice(("null", "created"), "default stream")},
        "event": {"type": str, "made_by": Choice(("create", "record"), "maker of an event")},
    },
    "kinds": Table(str, "kind", KINDS),
    "flags": Table(str, "flag", FLAGS),
    "state": Table(CALL | {"type": str, "per": Choice(("process", "device", "list"), "owner of a state")}, "state"),
    "slots": Table(SLOT, "slot", tuple(CONTRACT_SLOTS)),
    "virtuals": Table(SLOT, "virtual", tuple(CONTRACT_VIRTUALS)),
}
REQUIRED = ("vendor", "missing_slots", "provides_caching", "sdk", "status", "errors", "slots", "virtuals")
