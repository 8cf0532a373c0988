"""What is checked of one entry of PyTorch's lists: results, gradients, in-place and `out=` forms, dtypes, gaps, no elements.

Imports torch, and its lists where they are asked for.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_map_only

from generators.sweep.comparing import (
    Reference,
    Refused,
    cloned,
    close,
    compare,
    drawn_on_cpu,
    expect,
    moved,
    on_cpu,
    reference_for,
    reference_for_entry,
    same_form,
    seeded,
    target,
)

SAMPLES = 3

# Entries that have nothing to compare, and why.
EXCLUDED = {
    "empty": "contents undefined",
    "empty_like": "contents undefined",
    "empty_permuted": "contents undefined",
    "empty_strided": "contents undefined",
    "new_empty": "contents undefined",
    "new_empty_strided": "contents undefined",
    "to_sparse": "makes a sparse tensor, which flagos refuses (test_layouts_without_a_kernel)",
    "sparse_sampled_addmm": "takes a sparse tensor, which flagos refuses",
    "sparse_mm_reduce": "takes a sparse tensor, which flagos refuses",
    "SparseAdam": "takes sparse gradients, which flagos refuses",
}

# Of those with arguments made up from their schema.
TRUSTING = "trusts its arguments, and reads beyond what can be made up"
MADE_UP = {
    "_fft_r2c": TRUSTING,
    "_fft_r2c.out": TRUSTING,
    "_pdist_backward": TRUSTING,
    "_weight_norm_interface": TRUSTING,
    "_weight_norm_interface_backward": TRUSTING,
} | dict.fromkeys(
    ["_to_sparse", "_to_sparse.sparse_dim", "_to_sparse_bsc", "_to_sparse_bsr", "_to_sparse_csc", "_to_sparse_csr"],
    "makes a sparse tensor, which flagos refuses",
)

# Of those, where the kernels are another device's: seen on an H200.
UP_TO_A_SIGN = "its vectors are unique up to a sign"
TIES = "what is made up has equal elements, and which of them is taken is undefined"
MADE_UP_ACROSS = {
    "_linalg_eigh": UP_TO_A_SIGN,
    "_linalg_eigh.eigenvalues": UP_TO_A_SIGN,
    "_linalg_svd": UP_TO_A_SIGN,
    "_linalg_svd.U": UP_TO_A_SIGN,
    "kthvalue.values": TIES,
    "median.dim_values": TIES,
    "nanmedian.dim_values": TIES,
    "sort.values_stable": TIES,
    "linalg_cholesky_ex": "the matrix that is made up has no such decomposition",
    "linalg_lstsq.out": "the results that are made up have another dtype than the kernel wants",
    "native_dropout_backward": "the mask that is made up is not of booleans",
    "_nested_compute_contiguous_strides_offsets": TRUSTING,
    "binary_cross_entropy_backward.grad_input": "the CPU does not resize the result",
    "unique_dim": "the CPU returns the inverse without being asked",
    "unique_dim_consecutive": "the CPU returns the inverse without being asked",
} | dict.fromkeys(
    ["log_sigmoid_forward", "log_sigmoid_forward.output", "log_sigmoid_backward", "log_sigmoid_backward.grad_input"],
    "only the CPU keeps a buffer for its backward",
)

# Inputs without elements: what they become is undefined, or another device's kernel divides by their number.
NOT_EMPTY = ("resize_", "resize_as_")
NOT_EMPTY_ACROSS = ("native_batch_norm", "_native_batch_norm_legit")
# Another device's kernel wants weights without gaps, at addresses that are multiples of 16.
DENSE_ACROSS = (
    "fused_adam_with_tensor_lr",
    "fused_adamw_with_tensor_lr",
    "multi_head_attention",
    "transformer_encoder_layer",
)

# `out=` forms that are not called: parts of these results are undefined, and the last ends the CPU's own process.
NOT_CALLED = ("aten._ctc_loss.out", "aten._ctc_loss.Tensor_out", "aten.rrelu_with_noise.out")
# Another device's kernel reads memory that is not there, from what the CPU's forward kept for its own.
NOT_CALLED_ACROSS = (
    "aten._embedding_bag_dense_backward.out",
    "aten._embedding_bag_per_sample_weights_backward.out",
)

# The entry that another device has several operators for, of which it takes one; and those that there may be.
ATTENTION = "nn_functional_scaled_dot_product_attention"
FUSED = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION)

# Entries whose operators are others than the CPU's.
TOLERANCE = {ATTENTION: {"rtol": 1e-4, "atol": 1e-4}}

# Entries with tensors that have to stay on the CPU, as on CUDA.
INDICES_ON_CPU = {"tensor_split"}

# Entries that make a tensor without having one.
FACTORIES = re.compile(
    "(arange|eye|full|(lin|log)space(_tensor_overload)?|normal_number_mean|ones|rand(int|n)|scalar_tensor|"
    "tri[lu]_indices|zeros|signal_windows_.*)$"
)


def tolerance_of(op: Any) -> dict[str, float]:
    return TOLERANCE.get(op.formatted_name, {}) if target.exact else {}


def compared(reference: Reference, sample: Any, results: Any) -> Any:
    """Of a sample's results, what PyTorch's own tests compare: of vectors, say, what does not depend on their signs."""
    return results if target.exact else reference.shared(sample.output_process_fn_grad(results))


def check_sample(op: Any, sample: Any, counts: Counter, kind: str = "forward") -> None:
    arguments = ((sample.input, *sample.args), sample.kwargs)
    tensors = [leaf for leaf in tree_flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]

    def on_device(arguments: Any) -> Any:
        device = moved(arguments)
        if op.formatted_name in INDICES_ON_CPU:
            here = cloned(arguments)
            device = ((device[0][0], *here[0][1:]), here[1])
        if FACTORIES.match(op.formatted_name) and all(tensor.dim() == 0 for tensor in tensors):
            device[1]["device"] = target.device
        return device

    reference = reference_for_entry(op, main_dtype(op))
    expected, inputs = expect(reference, op, arguments, on_device)
    device = on_device(arguments)
    found = seeded(op, *device[0], **device[1])
    found, expected = (compared(reference, sample, side) for side in (found, expected))
    compare(found, expected, kind, **tolerance_of(op))
    after, expected_after = (
        [t for t in tree_flatten(a)[0] if isinstance(t, torch.Tensor)] for a in (moved(device), inputs)
    )
    compare(after, expected_after, f"{kind}: arguments after the call")
    counts[kind] += 1

    if op.supports_autograd and any(t.requires_grad for t in tree_flatten(expected)[0] if isinstance(t, torch.Tensor)):
        gradients = []
        for result, leaves_of in ((expected, inputs), (found, device)):
            results = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            leaves = [t for t in tree_flatten(leaves_of)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            torch.manual_seed(6)
            ones = [torch.ones(t.shape, dtype=t.dtype, device=t.device) for t in results]
            call = seeded if leaves_of is device else on_cpu
            gradients.append([g for g in call(torch.autograd.grad, results, leaves, ones, allow_unused=True)])
        for other, one in zip(*gradients, strict=True):
            assert (one is None) == (other is None), "backward: one of the two has no gradient"
            if one is not None:
                close(one, other, "backward", **tolerance_of(op))
        counts["backward"] += 1


def without_grad(sample: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: t.detach(), ((sample.input, *sample.args), sample.kwargs))


def check_in_place(op: Any, sample: Any, counts: Counter) -> None:
    variant = op.inplace_variant
    if variant is None or sample.broadcasts_input or not isinstance(sample.input, torch.Tensor):
        return
    arguments = without_grad(sample)
    _, inputs = expect(reference_for_entry(op, main_dtype(op)), variant, arguments)
    device = moved(arguments)
    address = device[0][0].untyped_storage().data_ptr()
    result = seeded(variant, *device[0], **device[1])
    assert result is device[0][0], "in-place: another tensor came back"
    assert result.untyped_storage().data_ptr() == address, "in-place: the memory is another"
    compare(device, inputs, "in-place")
    counts["in place"] += 1


def check_out(op: Any, sample: Any, counts: Counter) -> None:
    if not op.supports_out or op.formatted_name in INDICES_ON_CPU:
        return
    reference, (args, kwargs) = reference_for_entry(op, main_dtype(op)), without_grad(sample)
    results, _ = expect(reference, op, (args, kwargs))
    if not all(isinstance(t, torch.Tensor) for t in tree_flatten(results)[0]):
        return
    for shape in ("right", "empty"):

        def made(t: torch.Tensor, shape: str = shape) -> torch.Tensor:
            return torch.zeros(t.shape if shape == "right" else 0, dtype=t.dtype)

        out = tree_map(made, results)
        arguments = (args, kwargs | {"out": tuple(out) if isinstance(results, tuple) else out})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, inputs = expect(reference, op, arguments)
            device = moved(arguments)
            seeded(op, *device[0], **device[1])
        found, expected = (compared(reference, sample, side[1]["out"]) for side in (device, inputs))
        compare(found, expected, f"out of the {shape} size")
    counts["out"] += 1


def check_variants(op: Any, counts: Counter) -> None:
    """Its other dtypes; inputs with gaps between their elements; inputs without elements, where the CPU takes them."""

    def check(sample: Any, kind: str) -> None:
        try:
            check_sample(op, sample, counts, kind)
        except Refused:
            pass

    main = main_dtype(op)
    for dtype in sorted((op.dtypes & op.supported_dtypes(target.kernels)) - {main}, key=str):
        for sample in spread(op.sample_inputs("cpu", dtype), 1):
            check(sample, "dtype")
    for sample in spread(op.sample_inputs("cpu", main)):
        if target.exact or op.formatted_name not in DENSE_ACROSS:
            check(sample.noncontiguous(), "gaps")
        if op.formatted_name not in (NOT_EMPTY if target.exact else NOT_EMPTY + NOT_EMPTY_ACROSS):
            check(sample.transform(emptied), "empty")


def emptied(value: Any) -> Any:
    return value.narrow(-1, 0, 0) if isinstance(value, torch.Tensor) and value.dim() else value


class Calls(TorchDispatchMode):
    """The first call of each ATen operator, with copies of its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[Any, tuple] = {}

    def __torch_dispatch__(self, operator: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if operator.namespace == "aten" and operator not in self.first:
            self.first[operator] = cloned((args, kwargs or {}))
        return operator(*args, **(kwargs or {}))


def check_out_forms(op: Any, sample: Any, counts: Counter) -> None:
    """The `out=` forms, which nothing in Python calls, of the operators that its forward and its backward are made of."""
    args, kwargs = cloned(((sample.input, *sample.args), sample.kwargs))
    with Calls() as calls:
        results = [r for r in tree_flatten(on_cpu(op, *args, **kwargs))[0] if isinstance(r, torch.Tensor)]
        if op.supports_autograd and any(r.requires_grad for r in results):
            leaves = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            ones = [torch.ones_like(r) for r in results if r.requires_grad]
            on_cpu(torch.autograd.grad, [r for r in results if r.requires_grad], leaves, ones, allow_unused=True)
    for operator, (args, kwargs) in calls.first.items():
        for form in out_forms(operator):
            try:
                with torch.no_grad():
                    check_out_form(form, operator, args, kwargs)
            except Refused:
                continue
            counts["out form"] += 1


def check_out_form(form: Any, operator: Any, args: tuple, kwargs: dict) -> None:
    results = on_cpu(operator, *cloned(args), **cloned(kwargs))
    results = results if isinstance(results, tuple) else (results,)
    if not all(isinstance(result, torch.Tensor) for result in results):
        raise Refused("not all results are there")
    outs = [argument.name for argument in form._schema.arguments if argument.is_out]
    empty = {out: torch.empty(0, dtype=result.dtype) for out, result in zip(outs, results, strict=True)}
    arguments = (args, kwargs | empty)
    reference = reference_for(operator)
    _, inputs = expect(reference, form, arguments)
    device = moved(arguments)
    seeded(form, *device[0], **device[1])
    found, expected = (reference.shared([side[1][out] for out in outs]) for side in (device, inputs))
    compare(found, expected, str(form))


def out_forms(operator: Any) -> Iterator[Any]:
    """The overloads that take what this one takes, and `out=` besides."""
    names = [argument.name for argument in operator._schema.arguments]
    left_out = NOT_CALLED if target.exact else NOT_CALLED + NOT_CALLED_ACROSS
    packet = operator.overloadpacket
    for overload in packet.overloads():
        form = getattr(packet, overload)
        arguments = form._schema.arguments
        if (
            str(form) not in left_out
            and any(a.is_out for a in arguments)
            and [a.name for a in arguments if not a.is_out] == names
        ):
            yield form


def check_conjugate(op: Any, counts: Counter) -> None:
    dtypes = op.dtypes & op.supported_dtypes(target.kernels)
    if torch.complex64 not in dtypes or op.formatted_name in INDICES_ON_CPU:
        return

    def conjugated(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map_only(torch.Tensor, lambda t: t.conj() if t.is_complex() else t, (args, kwargs))
        return op(*args, **kwargs)

    for sample in list(op.sample_inputs("cpu", torch.complex64))[:1]:
        arguments = without_grad(sample)
        reference = reference_for_entry(op, torch.complex64)
        expected, _ = expect(reference, conjugated, arguments)
        device = moved(arguments)
        found = seeded(conjugated, *device[0], **device[1])
        found, expected = (compared(reference, sample, side) for side in (found, expected))
        compare(found, expected, "conjugate views")
        counts["conjugate"] += 1


def main_dtype(op: Any) -> torch.dtype:
    dtypes = op.dtypes & op.supported_dtypes(target.kernels)
    if not dtypes:
        raise Refused("not for both devices")
    return torch.float32 if torch.float32 in dtypes else min(dtypes, key=str)


def spread(samples: Any, most: int = SAMPLES) -> list[Any]:
    """A few of the samples, from all over the list: neighbours are alike."""
    samples = list(samples)
    return samples[:: -(-len(samples) // most)] if samples else []


def of_each_kind(samples: Any) -> list[Any]:
    """A few of the samples, and the first of each kind of arguments that is not among them: of another overload, mostly."""
    samples = list(samples)
    chosen = spread(samples)
    kinds = {_kind(sample) for sample in chosen}
    for sample in samples:
        if (kind := _kind(sample)) not in kinds:
            kinds.add(kind)
            chosen.append(sample)
    return chosen


def _kind(sample: Any) -> tuple:
    """The types of its arguments, of a list also of what is in it."""
    types = [(type(argument), type(next(iter(tree_leaves(argument)), None))) for argument in sample.args]
    return (*types, *sorted(sample.kwargs))


def check_operator(op: Any, counts: Counter) -> None:
    dtype = main_dtype(op)
    grad = op.supports_autograd and dtype.is_floating_point
    refused = None
    for sample in of_each_kind(op.sample_inputs("cpu", dtype, requires_grad=grad)):
        for check in (check_sample, check_in_place, check_out, check_out_forms):
            try:
                check(op, sample, counts)
            except Refused as error:
                refused = error
    if op.formatted_name == ATTENTION and not target.exact:
        check_fused(op, counts)
    check_variants(op, counts)
    try:
        check_conjugate(op, counts)
    except Refused:
        pass
    if counts["forward"] == 0:
        raise Refused(f"the CPU refuses every sample: {refused}")


def check_fused(op: Any, counts: Counter) -> None:
    """Attention in half precision, by each of its fused operators where that takes the sample."""
    for backend in FUSED:
        with sdpa_kernel([backend, SDPBackend.MATH]):
            for sample in op.sample_inputs("cpu", torch.float16, requires_grad=True):
                if "attn_mask" in sample.kwargs:  # not all of them have a gradient for it
                    sample.kwargs["attn_mask"] = sample.kwargs["attn_mask"].detach()
                check_sample(op, sample, counts, "fused")


def check_lists(op: Any, counts: Counter) -> None:
    """An operator over lists of tensors, its result and in place."""
    for dtype in sorted(op.dtypes & op.supported_dtypes(target.kernels), key=lambda d: (d != torch.float32, str(d))):
        for sample in of_each_kind(op.sample_inputs("cpu", dtype)):
            arguments = ((sample.input, *sample.args), sample.kwargs)
            for variant, kind in ((op.method_variant, "forward"), (op.inplace_variant, "in place")):
                if variant is None:
                    continue
                cpu, device = cloned(arguments), moved(arguments)
                try:
                    expected = on_cpu(variant, *cpu[0], **cpu[1])
                except Refused:
                    continue
                try:
                    found = seeded(variant, *device[0], **device[1])
                except NotImplementedError as error:
                    if target.exact or "not implemented for" not in str(error):
                        raise
                    continue  # by a kernel of the device: not for this type, whatever the list says
                compare((found, device), (expected, cpu), f"{kind}, {dtype}")
                counts[kind] += 1


def check_schema(name: str, counts: Counter) -> None:
    from gates.operators import different  # imports the device

    excluded = MADE_UP if target.exact else MADE_UP | MADE_UP_ACROSS
    if name in excluded:
        raise Refused(excluded[name])
    wrong = different(name, exact=target.exact)
    if wrong is None:
        raise Refused("no arguments can be made up that the CPU takes")
    assert not wrong, wrong
    counts["forward"] += 1


def check_module(info: Any, counts: Counter) -> None:
    samples = info.module_inputs_func(info, "cpu", torch.float32, requires_grad=False, training=True)
    for sample in list(samples)[:SAMPLES]:
        if sample.forward_input is None:
            continue
        make = sample.constructor_input
        modules = []
        # A lazy module that moves to a renamed device is no longer lazy (pytorch#196975), so it has to begin there.
        lazy = {"device": target.device} if "Lazy" in info.module_cls.__name__ else {}
        for where in ({}, lazy):
            torch.manual_seed(0)
            modules.append(info.module_cls(*make.args, **(make.kwargs | where)).train())
        on_the_cpu, on_device = modules[0], modules[1].to(target.device)
        args = (sample.forward_input.args, sample.forward_input.kwargs)
        cpu, device = cloned(args), moved(args)
        expected = on_cpu(on_the_cpu, *cpu[0], **cpu[1])
        drawn = drawn_on_cpu()
        found = seeded(on_device, *device[0], **device[1])
        if drawn and not target.exact:
            same_form(found, expected, "forward")
            counts["form"] += 1
            continue
        compare(found, expected, "forward")
        counts["forward"] += 1
        sums: list[Any] = [
            sum(t.float().sum() for t in tree_flatten(r)[0] if isinstance(t, torch.Tensor) and t.requires_grad)
            for r in (expected, found)
        ]
        if isinstance(sums[0], torch.Tensor):
            for total in sums:
                total.backward()
            counts["backward"] += 1
        ours = dict(on_device.named_parameters()) | dict(on_device.named_buffers())
        for name, theirs in (*on_the_cpu.named_parameters(), *on_the_cpu.named_buffers()):
            close(ours[name], theirs, name)
            assert (ours[name].grad is None) == (theirs.grad is None), f"gradient of {name}"
            if theirs.grad is not None:
                close(ours[name].grad, theirs.grad, f"gradient of {name}")


def check_optimizer(info: Any, counts: Counter) -> None:
    for sample in info.optim_inputs_func(device="cpu"):
        for implementation in ("foreach", "fused", "neither"):
            if implementation != "neither" and implementation not in info.supported_impls:
                continue
            flags = {} if implementation == "neither" else {implementation: True}
            weights = []
            for where in ("cpu", target.device):
                torch.manual_seed(0)
                shapes = [(3, 4), (4, 3)] if info.optim_cls is torch.optim.Muon else [(3, 4), (4,)]
                params = [torch.nn.Parameter(torch.randn(shape).to(where)) for shape in shapes]
                try:
                    optimizer = info.optim_cls(params, **(sample.kwargs | flags))
                except (RuntimeError, ValueError, TypeError):
                    break  # a combination that the optimizer refuses

                def closure(params: list = params) -> torch.Tensor:
                    for p in params:
                        p.grad = None
                    loss = sum((p * p).sum() for p in params)
                    loss.backward()
                    if info.only_supports_sparse_grads:
                        for p in params:
                            p.grad = p.grad.to_sparse()
                    return loss

                for _ in range(3):
                    closure()
                    optimizer.step(closure if info.step_requires_closure else None)
                weights.append([p.detach().cpu() for p in params])
            if len(weights) == 2:
                for one, other in zip(weights[1], weights[0], strict=True):
                    close(one, other, f"weights, {implementation}")
                counts[implementation] += 1
