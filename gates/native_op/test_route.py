"""Before anything is built: the runtime holds, and this is the route to take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gates.evidence import VERDICTS
from gates.status import check, not_run
from generators.build import Built
from generators.dispatch_key import ask
from generators.vendor import Vendor
from generators.vendor_torch import VendorTorchError, open_vendor_torch


@pytest.mark.gate("native_op.route.runtime")
def test_runtime_has_passed(vendor: Vendor, library: Built):
    """Exit criterion: the runtime's gates passed, with this very library: operators over a runtime that is wrong prove nothing."""
    suite = f"pytest gates/runtime --vendor {vendor.runtime}"
    verdict = VERDICTS / f"runtime-{vendor.runtime}.json"
    if not verdict.is_file():
        not_run(f"needs the runtime's gates first: {suite}")
    found = json.loads(verdict.read_text(encoding="utf-8"))
    if found.get("runtime_library") != f"sha256:{library.sha256}":
        not_run(f"needs the runtime's gates first, those that ran were another library's: {suite}")
    check(found["verdict"] != "FAIL", "the runtime's gates failed", found=found["verdict"], next=suite)


@pytest.mark.gate("native_op.route.chosen")
def test_other_route_is_closed(pytestconfig: pytest.Config, vendor: Vendor, measured: dict[str, Any]):
    """Exit criterion: the key gate ruled out that the vendor's torch brings its kernels under a key to box into; or someone says
    why this route is taken all the same, which is recorded."""
    place, reason = pytestconfig.option.vendor_torch, pytestconfig.option.force_route
    if reason:
        measured["forced"] = reason
        return
    if place is None:
        not_run(
            "needs the answer of the key gate, --vendor-torch DIR_OR_WHEEL, or a reason to do without: --force-route REASON"
        )
    try:
        registration = ask(open_vendor_torch(place))
    except VendorTorchError as error:
        pytest.fail(str(error), pytrace=False)
    measured["registration"] = str(registration)
    check(
        not registration.covers(vendor.dispatch_key),
        f"the vendor's torch has kernels for {vendor.dispatch_key}: they can be boxed, and none has to be written",
        found=str(registration),
        next=f"pytest gates/cuda_compat --vendor {vendor.name} --vendor-torch {place}, or --force-route REASON",
    )
