"""Which way a chip goes: the vendor's torch either registers the key that operators are boxed to, or it has taken ours."""

from __future__ import annotations

from typing import Any

import pytest

from gates.status import check, fail, not_run
from generators.dispatch_key import OUT_OF_TREE, SAMPLE, Registration


@pytest.mark.gate("cuda_compat.key.registered")
def test_vendor_torch_registers_the_key(vendor, vendor_torch, registration: Registration, measured: dict[str, Any]):
    """Exit criterion: "confirm it registers a CUDA dispatch key rather than occupying PrivateUse1": kernels for `aten::mm` and
    a sample of others; a source-compatible SDK says nothing about it."""
    measured["registration"] = str(registration)
    if registration.covers(vendor.dispatch_key):
        return
    expected, where = f"kernels for {vendor.dispatch_key}: {', '.join(SAMPLE)}", str(vendor_torch.place)
    if registration.key == OUT_OF_TREE:
        fail(
            f"the vendor's torch occupies {OUT_OF_TREE}: this route ends here, use gates/native_op",
            expected=expected,
            found=str(registration),
            where=where,
            likely=f"torch_fl is itself {OUT_OF_TREE}, so no key is left to box into; falling back to that torch and "
            "intercepting its dispatch were both tried, and closed off",
            next=f"pytest gates/native_op --vendor {vendor.name} --op-lib FILE",
        )
    fail(
        f"the vendor's torch registers neither {vendor.dispatch_key} nor {OUT_OF_TREE}",
        expected=expected,
        found=str(registration),
        where=where,
        likely="a CPU build, or the plugin that brings the kernels is not installed beside it",
        next="give the vendor's own build with --vendor-torch, or use gates/native_op",
    )


@pytest.mark.gate("cuda_compat.key.measured")
def test_answer_was_measured(registration: Registration):
    """Exit criterion: "a gate, not an assumption": the answer is the dispatcher's of a process that imported the vendor's torch,
    with its plugins and without ours; what is read from the libraries is provisional."""
    if registration.provisional:
        not_run(f"needs the vendor's torch to be imported, the answer is provisional: {registration.provisional}")
    check(
        "aten::mm(Tensor self, Tensor mat2)" in registration.evidence and registration.covers("CPU"),
        "the dispatcher that was asked is no torch's",
        found=registration.evidence[:500],
    )
