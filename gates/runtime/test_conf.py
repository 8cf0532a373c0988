"""The vendor's conf, or the one that the environment names instead, and what becomes of the operators that it does not list."""

from __future__ import annotations

import os

import pytest

from gates.status import check, fail
from torch_fl.conf import CONF, ConfError, conf_in_use, load_conf, operators_of_torch, read_conf


@pytest.mark.gate("runtime.conf.valid")
@pytest.mark.isolated
def test_conf_is_there_and_can_be_used(vendor, measured):
    """Exit criterion: the vendor has a conf; each of its lines is an operator of a torch line with a route that exists. Those
    that the installed torch has not are skipped, and listed."""
    try:
        named = os.environ.get(CONF)
        conf = read_conf(conf_in_use(vendor.name)) if named else load_conf(vendor.name)
        if conf.routes:
            skipped = read_conf(conf.path, operators=operators_of_torch()).skipped
            measured.update(
                {"skipped": ", ".join(f"{name} ({where})" for name, where in skipped.items())} if skipped else {}
            )
    except ConfError as error:
        mistakes = str(error)
    else:
        mistakes = ""
    check(
        not mistakes,
        f"the conf cannot be used: {mistakes}",
        next=f"correct it, or unset {CONF}" if named else "correct it; allowed routes are in its first lines",
    )


@pytest.mark.gate("runtime.conf.unlisted")
def test_every_unlisted_operator_falls_back_and_is_counted(device, vendor, measured):
    """Exit criterion: "every operator falls back to CPU": each one that the conf does not list gives on the device what it
    gives on the CPU, results and changed arguments, and its call is counted, once."""
    import torch

    from gates.operators import call_on_both, operators_that_fall_back

    try:
        listed = torch.flagos.routes()
    except RuntimeError as error:
        fail("operators cannot be routed as the conf says", found=str(error), next="see runtime.conf.valid")
    with torch.no_grad():
        ended = {name: call_on_both(name) for name in operators_that_fall_back() if name not in listed}
    wrong = [problem for problem in ended.values() if problem]
    check(not wrong, f"{len(wrong)} operators do not fall back as they should", found="\n            ".join(wrong[:10]))
    measured["operators"] = sum(problem == "" for problem in ended.values())
    check(
        measured["operators"] > 500,
        "most of PyTorch's operators can be called",
        expected="more than 500",
        found=measured["operators"],
    )
