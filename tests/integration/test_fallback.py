"""Operators without a flagos kernel: the CPU's result, on the device of the inputs, and counted."""

import itertools
import re

import pytest
import torch

import torch_fl

DEVICE = "flagos:1"  # not the current device, so that a result in the wrong place shows


@pytest.fixture(autouse=True)
def fresh_counts():
    torch_fl.reset_fallback_counts()


def both(function, *tensors):
    """The function's result on the CPU and on the device, as CPU tensors, and where the device's result was."""
    on_device = function(*(tensor.to(DEVICE) for tensor in tensors))
    results = on_device if isinstance(on_device, list | tuple) else [on_device]
    assert all(result.device == torch.device(DEVICE) for result in results)
    expected = function(*(tensor.clone() for tensor in tensors))
    torch.testing.assert_close([r.cpu() for r in results], list(expected) if len(results) > 1 else [expected])


CALLS = {
    "binary": lambda a, b: a + b,
    "scalar": lambda a, b: a * 2.5,
    "matmul": lambda a, b: a @ b.t(),
    "several results": lambda a, b: torch.sort(a, dim=1),
    "list result": lambda a, b: torch.split(a.sin(), 2),
    "list argument": lambda a, b: torch.cat([a, b, a]),
    "optional tensors": lambda a, b: torch.clamp(a, min=b),
    "indexing": lambda a, b: a[torch.tensor([0, 2], device=a.device)],
    "indexing with CPU index": lambda a, b: a[torch.tensor([0, 2])],
    "boolean mask": lambda a, b: a[b > 0],
    "reduction": lambda a, b: a.sum(0),
    "cpu scalar": lambda a, b: a + torch.tensor(2.0),
    "einsum": lambda a, b: torch.einsum("ij,kj->ik", a, b),
    "fft": lambda a, b: torch.fft.fft(a).abs(),
    "conjugate": lambda a, b: (torch.complex(a, b).conj() * 2).imag,
    "non-contiguous": lambda a, b: a.t()[::2].exp(),
    "attention": lambda a, b: torch.nn.functional.scaled_dot_product_attention(a[None], b[None], a[None]),
    "bucketize": lambda a, b: torch.bucketize(a, b.flatten().sort().values),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_result_is_that_of_the_cpu(call):
    torch.manual_seed(0)
    both(call, torch.randn(4, 4), torch.randn(4, 4))


def in_place(a, b):
    a.add_(b).clamp_(max=1)
    return a


def in_place_on_a_view(a, b):
    a.t()[1:3].mul_(b[1:3])
    return a


def out_argument(a, b):
    out = torch.empty(0, device=a.device)
    assert torch.add(a, b, out=out) is out
    return out


def out_with_gaps(a, b):
    out = torch.zeros(4, 8, device=a.device)
    torch.mul(a, b, out=out[:, ::2])
    return out


def two_out_arguments(a, b):
    values, indices = torch.empty(0, device=a.device), torch.empty(0, dtype=torch.int64, device=a.device)
    torch.sort(a, out=(values, indices))
    return [values, indices]


def mutated_list(a, b):
    torch._foreach_add_([a, b], 1.0)
    torch._foreach_mul_([a, b], [2.0, 3.0])
    return [a, b]


def index_put(a, b):
    a[a > 0] = 5
    a[torch.tensor([0, 1], device=a.device), torch.tensor([1, 1], device=a.device)] += 1
    return a


def scatter(a, b):
    return a.scatter_(1, torch.tensor([[0, 1], [2, 3]], device=a.device), b)


MUTATIONS = [
    in_place,
    in_place_on_a_view,
    out_argument,
    out_with_gaps,
    two_out_arguments,
    mutated_list,
    index_put,
    scatter,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda function: function.__name__)
def test_mutated_arguments_are_written_back(mutation):
    torch.manual_seed(0)
    both(mutation, torch.randn(4, 4), torch.randn(4, 4))


def test_in_place_keeps_the_tensors_memory():
    tensor = torch.ones(4, device=DEVICE)
    view, address = tensor[1:], tensor.data_ptr()
    tensor.add_(1)
    assert tensor.data_ptr() == address
    assert view.tolist() == [2, 2, 2]


def test_expanded_tensor_is_not_written_in_place():
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.ones(1, device=DEVICE).expand(3).add_(1)


FACTORIES = {
    "ones": lambda d: torch.ones(3, device=d),
    "full": lambda d: torch.full((2,), 7, device=d),
    "arange": lambda d: torch.arange(2, 9, 3, device=d),
    "linspace": lambda d: torch.linspace(0, 1, 5, device=d),
    "eye": lambda d: torch.eye(3, device=d),
    "tril_indices": lambda d: torch.tril_indices(3, 3, device=d),
    "like": lambda d: torch.ones_like(torch.empty(3, device=d)),
    "new": lambda d: torch.empty(1, device=d).new_tensor([1, 2]),
}


@pytest.mark.parametrize("factory", FACTORIES.values(), ids=FACTORIES)
def test_factories_take_the_device(factory):
    made = factory(DEVICE)
    assert made.device == made.untyped_storage().device == torch.device(DEVICE)
    assert torch.equal(made.cpu(), factory("cpu"))


def test_randperm_and_dropout_draw_from_the_device():
    torch_fl.set_device(1)
    try:
        torch_fl.manual_seed(3)
        first = (
            torch.randperm(16, device=DEVICE).tolist(),
            torch.nn.functional.dropout(torch.ones(32, device=DEVICE)).tolist(),
        )
        torch.rand(5)
        torch_fl.manual_seed(3)
        again = (
            torch.randperm(16, device=DEVICE).tolist(),
            torch.nn.functional.dropout(torch.ones(32, device=DEVICE)).tolist(),
        )
    finally:
        torch_fl.set_device(0)
    assert first == again
    assert sorted(first[0]) == list(range(16))


# ---- devices in one call: as on CUDA ----

X = torch.arange(12.0).view(3, 4)
HERE, THERE = "flagos:1", "flagos:0"


def x():
    return X.to(HERE)


def two_rows(where):
    return torch.tensor([0, 2], device=where)


TAKEN = {
    "number": lambda t: t(X) + 2,
    "CPU scalar": lambda t: t(X) * torch.tensor(2.0),
    "CPU scalar first": lambda t: torch.tensor(2.0) - t(X),
    "CPU scalar in place": lambda t: t(X).clone().mul_(torch.tensor(2.0)),
    "CPU scalar of a wider type": lambda t: t(X) / torch.tensor(2.0, dtype=torch.float64),
    "where": lambda t: torch.where(t(X) > 1, torch.tensor(1.0), torch.tensor(2.0)),
    "masked_fill": lambda t: t(X).masked_fill(t(X) > 1, torch.tensor(1.0)),
    "floor_divide": lambda t: t(X).floor_divide(torch.tensor(2.0)),
    "CPU index": lambda t: t(X)[torch.tensor([0, 2])],
    "CPU mask": lambda t: t(X)[X > 3],
    "index_put of a CPU scalar": lambda t: t(X).clone().index_put_((torch.tensor([0, 2]),), torch.tensor(5.0)),
    "foreach by a CPU scalar": lambda t: torch._foreach_mul([t(X), t(X)], torch.tensor(2.0))[1],
}


@pytest.mark.parametrize("call", TAKEN.values(), ids=TAKEN)
def test_cpu_tensors_that_cuda_takes(call):
    result = call(lambda tensor: tensor.to(HERE))
    assert result.device == torch.device(HERE)
    torch.testing.assert_close(result.cpu(), call(lambda tensor: tensor))


CPU_AND_DEVICE = r"Expected all tensors to be on the same device, but found at least two devices, flagos:1 and cpu!"
TWO_DEVICES = r"Expected all tensors to be on the same device, but found at least two devices, flagos:\d and flagos:\d!"
REFUSED = {
    "CPU tensor": (lambda: x() + X, CPU_AND_DEVICE),
    "CPU tensor first": (lambda: X + x(), CPU_AND_DEVICE),
    "CPU tensor and device scalar": (lambda: X + torch.tensor(1.0, device=HERE), CPU_AND_DEVICE),
    "CPU scalar written": (lambda: torch.tensor(1.0).add_(torch.tensor(1.0, device=HERE)), CPU_AND_DEVICE),
    "CPU scalar written by a kernel without shapes": (
        lambda: torch.tensor(1.0).masked_fill_(torch.tensor(True, device=HERE), 2.0),
        CPU_AND_DEVICE,
    ),
    "out is a CPU scalar": (
        lambda: torch.add(torch.ones((), device=HERE), 1, out=torch.tensor(0.0)),
        CPU_AND_DEVICE,
    ),
    "matrices": (lambda: x() @ X.t(), CPU_AND_DEVICE),
    "CPU scalar where no numbers are": (lambda: x().take(torch.tensor(1)), CPU_AND_DEVICE),
    "CPU scalar, devices compared first": (lambda: torch.clamp(x(), min=torch.tensor(1.0)), CPU_AND_DEVICE),
    "list": (lambda: torch.cat([x(), X]), CPU_AND_DEVICE),
    "optional tensor": (lambda: torch.nn.functional.batch_norm(x(), torch.zeros(4), torch.ones(4)), CPU_AND_DEVICE),
    "out on the CPU": (lambda: torch.add(x(), x(), out=torch.empty(3, 4)), CPU_AND_DEVICE),
    "out on the device": (lambda: torch.add(X, X, out=torch.empty(3, 4, device=HERE)), CPU_AND_DEVICE),
    "index_put of CPU values": (lambda: x().index_put_((torch.tensor([0]),), torch.ones(1, 4)), CPU_AND_DEVICE),
    "two devices": (lambda: x() + X.to(THERE), TWO_DEVICES),
    "two devices, scalar": (lambda: x() + torch.tensor(1.0, device=THERE), TWO_DEVICES),
    "two devices, list": (lambda: torch.stack([x(), X.to(THERE)]), TWO_DEVICES),
    "two devices, matrices": (lambda: x() @ X.t().to(THERE), TWO_DEVICES),
    "two CPU scalars": (lambda: torch.addcmul(x(), torch.tensor(1.0), torch.tensor(1.0)), "too many CPU scalars"),
    "CPU tensor by device index": (lambda: X[two_rows(HERE)], r"same device as the indexed tensor \(cpu\)"),
    "index_put by device index": (
        lambda: X.clone().index_put_((two_rows(HERE),), torch.tensor(1.0)),
        r"same device as the indexed tensor \(cpu\)",
    ),
    "index_put by index of another device": (
        lambda: x().index_put_((two_rows(THERE),), torch.tensor(1.0)),
        r"same device as the indexed tensor \(flagos:1\)",
    ),
    "index of another device": (lambda: x()[two_rows(THERE)], r"same device as the indexed tensor \(flagos:1\)"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_mixes_that_cuda_refuses(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_lists_of_foreach_may_mix_devices():
    results = torch._foreach_add([x(), X, X.to(THERE)], 1)
    assert [str(result.device) for result in results] == [HERE, "cpu", THERE]


def test_refused_call_names_operator_and_argument_once():
    with pytest.raises(RuntimeError) as refused:
        x() @ X.t()
    assert str(refused.value).count("aten::mm") == 1 and "argument mat2" in str(refused.value)


# ---- out=, in-place, aliases ----


def test_out_of_another_size_is_resized_with_pytorchs_warning():
    out = torch.ones(2, device=HERE)
    address = id(out)
    with pytest.warns(UserWarning, match=r"An output with one or more elements was resized"):
        result = torch.add(x(), 1, out=out)
    assert result is out and id(out) == address and out.stride() == (4, 1)
    assert out.untyped_storage().device == torch.device(HERE)
    assert torch.equal(out.cpu(), X + 1)


def test_out_of_another_type_is_refused():
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        torch.add(x(), x(), out=torch.empty(3, 4, dtype=torch.int64, device=HERE))


def test_out_is_written_through_its_strides_and_leaves_the_rest():
    base = torch.full((4, 6), -1.0, device=HERE)
    torch.add(x(), 1, out=base.t()[1:5, :3].t())
    expected = torch.full((4, 6), -1.0)
    torch.add(X, 1, out=expected.t()[1:5, :3].t())
    assert torch.equal(base.cpu(), expected)


@pytest.mark.parametrize("kind", ["partial overlap", "internal overlap", "input of another view"])
def test_overlapping_out_is_refused(kind):
    line = torch.arange(6.0, device=HERE)
    calls = {
        "partial overlap": lambda: torch.add(line[:-1], 1, out=line[1:]),
        "internal overlap": lambda: torch.add(line, line, out=torch.ones(1, device=HERE).expand(6)),
        "input of another view": lambda: line[1:].mul_(line[:-1]),
    }
    with pytest.raises(RuntimeError, match="single memory location"):
        calls[kind]()
    assert line.tolist() == [0, 1, 2, 3, 4, 5]


def test_failed_call_changes_nothing():
    data, indices = torch.zeros(3, device=HERE), torch.tensor([0, 7], device=HERE)
    with pytest.raises((IndexError, RuntimeError), match="out of bounds"):
        data.scatter_(0, indices, 1.0)
    assert data.tolist() == [0, 0, 0]


def test_tensors_given_twice_are_one_tensor():
    data = torch.arange(1.0, 5.0, device=HERE)
    data.addcmul_(data, data)
    assert data.tolist() == [2, 6, 12, 20]
    pair = [data, data[:2]]
    torch._foreach_add_(pair, 1)
    assert data.tolist() == [4, 8, 13, 21]


def test_views_of_other_element_sizes_in_one_call():
    base = torch.arange(16, dtype=torch.int16, device=HERE)
    lower, upper = base[1:5], base[4:12].view(torch.int64)  # they overlap, from offsets 2 and 8
    assert torch.equal(
        torch.stack([lower[-1].long(), upper[0]]).cpu(), torch.stack([base.cpu()[4].long(), upper.cpu()[0]])
    )
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.add(lower[:2], 1, out=base[2:4])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_list_of_the_caller_is_left_alone():
    with torch.library._scoped_library("flagos_test_list", "DEF") as library:
        library.define("total(Tensor[] tensors) -> Tensor")
        library.impl("total", sum, "CPU")

        @torch.jit.script
        def total(tensors: list[torch.Tensor]):
            result = torch.ops.flagos_test_list.total(tensors)
            return result, tensors

        result, tensors = total([x(), x()])
        assert [str(tensor.device) for tensor in (result, *tensors)] == [HERE] * 3


def test_empty_views_with_an_offset():
    base = torch.zeros(0, 3, device=HERE)
    assert (
        torch.ones(3, device=HERE).masked_scatter(torch.zeros(3, dtype=torch.bool, device=HERE), base[:0, 1]).tolist()
        == [1] * 3
    )
    assert torch.cat([base[:, 1:], base[:, :2]]).shape == (0, 2)


def test_result_that_is_an_argument_on_the_cpu_is_it_here_too():
    """A view that has no kernel of its own still is one."""
    with torch.library._scoped_library("flagos_test_view", "DEF") as library:
        library.define("half(Tensor(a) self) -> Tensor(a)")
        library.impl("half", lambda tensor: tensor[::2], "CPU")
        data = torch.arange(6.0, device=HERE)
        view = torch.ops.flagos_test_view.half(data)
        assert view.untyped_storage().data_ptr() == data.untyped_storage().data_ptr() and view.stride() == (2,)
        view.add_(10)
        assert data.tolist() == [10, 1, 12, 3, 14, 5]


def test_running_statistics_that_the_schema_hides_are_written():
    modules = [torch.nn.BatchNorm1d(4).to(where) for where in ("cpu", HERE)]
    for module, where in zip(modules, ("cpu", HERE), strict=True):
        module(X.to(where))
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        found, expected = (getattr(module, name) for module in reversed(modules))
        torch.testing.assert_close(found.cpu(), expected)
    assert modules[1].running_mean.abs().sum() > 0


def test_strides_of_results_are_those_of_the_cpu():
    images = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    for call in (torch.relu, lambda t: t.transpose(1, 2) * 2, lambda t: torch.nn.functional.max_pool2d(t, 2)):
        assert call(images.to(HERE)).stride() == call(images).stride()


# ---- autograd ----


def test_in_place_counts_one_version():
    data = torch.ones(3, device=HERE)
    for expected, change in enumerate((data.add_, data.mul_, data.clamp_min_), start=1):
        change(2)
        assert data._version == expected
    torch.add(data, 1, out=data)
    assert data._version == 4


def test_changed_saved_tensor_is_noticed():
    leaf = torch.ones(3, device=HERE, requires_grad=True)
    product = leaf.exp()
    product.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


GRADIENTS = {
    "matmul": lambda a: a @ a.t(),
    "softmax": lambda a: a.softmax(1),
    "index": lambda a: a[torch.tensor([0, 0, 1])],
    "in place on a view": lambda a: (lambda c: (c[:, 1].mul_(2), c)[1])(a.clone()) ** 2,
    "layer_norm": lambda a: torch.nn.functional.layer_norm(a, (3,)),
    "conv1d": lambda a: torch.nn.functional.conv1d(a[None], a[None, :, :2].contiguous()),
    "lstm cell": lambda a: torch.ops.aten._thnn_fused_lstm_cell(a.repeat(1, 4), a.repeat(1, 4) * 2, a)[0],
    "gru cell": lambda a: torch.ops.aten._thnn_fused_gru_cell(a.repeat(1, 3), a.repeat(1, 3) * 2, a)[0],
}


@pytest.mark.parametrize("call", GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_are_those_of_differences(call):
    torch.manual_seed(0)
    data = torch.randn(2, 3, dtype=torch.float64).to(HERE).requires_grad_()
    assert torch.autograd.gradcheck(call, data)


@pytest.mark.parametrize("name", ["matmul", "softmax", "index", "in place on a view"])
def test_second_gradients_are_those_of_differences(name):
    torch.manual_seed(0)
    assert torch.autograd.gradgradcheck(
        GRADIENTS[name], torch.randn(2, 3, dtype=torch.float64).to(HERE).requires_grad_()
    )


def test_group_norm_takes_any_layout():
    """PyTorch's composition for other devices views its input as if it were contiguous."""
    for here in (torch.randn(2, 8, 6, 5), torch.randn(2, 6, 5, 8).permute(0, 3, 1, 2), torch.randn(4, 8, 6, 5)[::2]):
        there = here.to(HERE).requires_grad_()
        found = torch.nn.functional.group_norm(there, 4)
        assert torch.allclose(found.cpu(), torch.nn.functional.group_norm(here, 4), atol=1e-6)
        found.sum().backward()
        assert there.grad.shape == here.shape


def test_forward_mode():
    value, tangent = torch.func.jvp(lambda a: a * a, (x(),), (x(),))
    assert value.device == tangent.device == torch.device(HERE)
    assert torch.equal(tangent.cpu(), 2 * X * X)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("bias", [True, False])
def test_recurrent_networks(kind, bias):
    results = []
    for where in ("cpu", HERE):
        torch.manual_seed(0)
        module = getattr(torch.nn, kind)(3, 5, num_layers=2, bias=bias, bidirectional=True).to(where)
        data = torch.linspace(-1, 1, 24).view(4, 2, 3).to(where).requires_grad_()
        module(data)[0].square().sum().backward()
        results.append([module(data)[0].detach().cpu(), data.grad.cpu(), *(p.grad.cpu() for p in module.parameters())])
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-5)


# ---- operators of others, and what has no kernel ----


def test_custom_operator_for_the_cpu_runs_there():
    @torch.library.custom_op("flagos_test::scale_", mutates_args={"target"}, device_types="cpu")
    def scale(target: torch.Tensor, factor: float, extra: list[torch.Tensor]) -> None:
        target.mul_(factor).add_(sum(extra))

    data = torch.ones(3, device=HERE)
    scale(data, 2.0, [torch.ones(3, device=HERE)])
    assert data.tolist() == [3, 3, 3]
    assert torch_fl.fallback_counts()["flagos_test::scale_"] == 1


def test_operator_without_any_kernel_says_so():
    with torch.library._scoped_library("flagos_test_none", "DEF") as library:
        library.define("nothing(Tensor x) -> Tensor")
        with pytest.raises(
            NotImplementedError, match=r"flagos_test_none::nothing has no kernel for flagos.*library.impl"
        ):
            torch.ops.flagos_test_none.nothing(x())


def test_redefined_operator_is_looked_at_again():
    """What the fallback knows of an operator ends with it: the second one gets the place of the first."""
    for schema, kernel in (
        ("change(Tensor x) -> Tensor", lambda x: x + 1),
        ("change(Tensor(a!) x, Tensor? y) -> ()", lambda x, y: x.add_(1) and None),
    ):
        with torch.library._scoped_library("flagos_test_again", "DEF") as library:
            library.define(schema)
            library.impl("change", kernel, "CPU")
            data = torch.ones(1, device=HERE)
            result = torch.ops.flagos_test_again.change(data, *([None] if "y" in schema else []))
            assert (data if result is None else result).item() == 2


DENSE_ONLY = {
    "to_sparse": lambda: x().to_sparse(),
    "to_sparse_csr": lambda: x().to_sparse_csr(),
    "sparse.to": lambda: X.to_sparse().to(HERE),
    "sparse_coo_tensor": lambda: torch.sparse_coo_tensor([[0]], [1.0], device=HERE),
    "sparse zeros": lambda: torch.zeros(2, layout=torch.sparse_coo, device=HERE),
    "quantize": lambda: torch.quantize_per_tensor(x(), 0.1, 0, torch.quint8),
    "quantized.to": lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.quint8).to(HERE),
    "nested.to": lambda: torch.nested.nested_tensor([X]).to(HERE),
    "mkldnn": lambda: x().to_mkldnn(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", DENSE_ONLY.values(), ids=DENSE_ONLY)
def test_layouts_without_a_kernel(call):
    with pytest.raises(
        NotImplementedError, match=r"^aten::\w+.*: flagos devices hold dense tensors only.*tensor\.cpu\(\)"
    ):
        call()


def test_operators_that_draw_have_a_generator_or_a_kernel_of_their_own():
    """One that draws on the CPU and takes no generator would use the CPU's numbers."""
    ours = {"aten::native_dropout"}
    drawing = {
        name
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::") and torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU")
        for op in [torch._C._get_schema(*(name.split(".") if "." in name else (name, "")))]
        if torch.Tag.nondeterministic_seeded in torch._C._get_operation_overload(op.name, op.overload_name)[2]
        and "Generator" not in str(op)
    }
    assert "aten::native_dropout" in drawing
    # Both choose or run attention, which flagos computes by its formula.
    assert drawing - ours == {"aten::_fused_sdp_choice", "aten::_scaled_dot_product_flash_attention_for_cpu"}


@pytest.mark.filterwarnings("ignore")
def test_attention_does_not_draw_from_the_cpu():
    query = torch.ones(1, 2, 8, 4, device=HERE)
    state = torch.get_rng_state()
    torch.nn.functional.scaled_dot_product_attention(query, query, query, dropout_p=0.5)
    assert torch.equal(torch.get_rng_state(), state)


def test_current_device_is_that_of_the_arguments_and_restored():
    tensor = torch.ones(3, device=DEVICE).abs().sqrt()
    assert tensor.device == torch.device(DEVICE)
    assert torch_fl.current_device() == 0


@pytest.mark.parametrize("transposed", [False, True])
def test_convolution(transposed):
    torch.manual_seed(0)
    kind = torch.nn.ConvTranspose2d if transposed else torch.nn.Conv2d
    on_cpu = kind(3, 4, 3, stride=2, padding=1)
    on_device = kind(3, 4, 3, stride=2, padding=1).to(DEVICE)
    on_device.load_state_dict(on_cpu.state_dict())
    x = torch.randn(2, 3, 7, 7)
    grads = []
    for module, data in ((on_cpu, x.clone()), (on_device, x.to(DEVICE))):
        data.requires_grad_()
        result = module(data)
        assert result.device == data.device
        result.square().sum().backward()
        grads.append([t.cpu() for t in (result.detach(), data.grad, module.weight.grad, module.bias.grad)])
    torch.testing.assert_close(grads[1], grads[0])
    assert torch_fl.fallback_counts()["aten::convolution"] == 1
    assert torch_fl.fallback_counts()["aten::convolution_backward"] == 1


# ---- the streams and the scaler of mixed precision ----


def test_work_is_ordered_with_the_current_stream(busy):
    """The arguments are read after the work before, on whichever stream is current, and the results are written there."""
    for stream in (torch_fl.current_stream(HERE), torch.Stream(device=HERE)):
        with stream:
            data = torch.zeros(3, device=HERE)
            busy(HERE).occupy()
            data.copy_(torch.ones(3, device=HERE))
            sum_of_both = data.add(data).add_(1)
            assert sum_of_both.tolist() == [3, 3, 3]


@pytest.mark.parametrize("last", [1.0, float("inf")])
def test_scaler_unscales_and_finds_infinity(last):
    parameter = torch.nn.Parameter(torch.ones(2, device=HERE))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler = torch.amp.GradScaler("flagos", init_scale=4.0)
    scaler.scale((parameter * torch.tensor([1.0, last], device=HERE)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    stepped = last == 1.0
    assert parameter.tolist() == ([0, 0] if stepped else [1, 1])
    assert scaler.get_scale() == (4.0 if stepped else 2.0)


# ---- counting ----


def test_calls_are_counted_by_operator():
    a = torch.ones(2, device=DEVICE)
    torch_fl.reset_fallback_counts()
    a.add_(1)
    a.add_(2)
    torch.ops.aten.erf(a)
    counts = torch_fl.fallback_counts()
    assert counts.pop("aten::add_.Tensor", 0) + counts.pop("aten::add.out", 0) == 2
    assert sum(counts.values()) == 1 and "erf" in next(iter(counts))
    torch_fl.reset_fallback_counts()
    assert torch_fl.fallback_counts() == {}


def test_cpu_work_is_not_counted():
    torch.ones(3).add(1).sum().item()
    assert torch_fl.fallback_counts() == {}


def test_operators_with_a_kernel_are_not_counted():
    data = X.to(HERE)
    data.view(4, 3).t()[1:].zero_()
    data.fill_(2).copy_(X.half()).resize_(2, 6)
    assert data[0, 0].item() == 0 and data.cpu().shape == (2, 6)
    assert torch_fl.fallback_counts() == {}


def test_trace_prints_one_line_for_each_call(run_forked):
    code = """
        import torch, torch_fl
        a = torch.empty(2, device="flagos").zero_()
        a.add_(1)
        a.add_(1)
        torch.ops.aten.sort(a)
        print(sum(torch_fl.fallback_counts().values()))
    """
    traced = run_forked(code, FLAGOS_LOG_DISPATCH="1")
    lines = [line for line in traced.stderr.splitlines() if re.fullmatch(r"flagos:0: aten::\S+: fallback.*", line)]
    assert len(lines) == int(traced.stdout) == 3
    assert lines[0] == lines[1] and "add" in lines[0] and "sort" in lines[2]
    for quiet in ({}, {"FLAGOS_LOG_DISPATCH": "0"}):
        assert run_forked(code, **quiet).stderr == ""


# ---- kinds of faults that users of other devices reported ----


def on_both(operation, *tensors):
    """The operation's result on the CPU and on the device, or the type of its error."""

    def outcome(arguments):
        try:
            return operation(*arguments)
        except (RuntimeError, IndexError, ValueError) as error:
            return type(error)

    return outcome(tensors), outcome([tensor.to(DEVICE) for tensor in tensors])


def same_outcome(expected, found):
    if isinstance(expected, torch.Tensor):
        assert found.device == torch.device(DEVICE)
        torch.testing.assert_close(found.cpu(), expected, equal_nan=True)
    else:
        assert found == expected


PROMOTED = [torch.bool, torch.uint8, torch.int8, torch.int64, torch.float16, torch.bfloat16, torch.float32]


@pytest.mark.parametrize(
    "operation",
    [
        torch.true_divide,
        torch.floor_divide,
        torch.add,
        torch.eq,
        lambda a, b: torch.div(a, b, rounding_mode="trunc"),
        lambda a, b: a.clone().mul_(b),
    ],
    ids=["true_divide", "floor_divide", "add", "eq", "trunc", "mul_"],
)
def test_types_are_promoted_as_on_the_cpu(operation):
    for a, b in itertools.product(PROMOTED, PROMOTED):
        same_outcome(*on_both(operation, torch.tensor([7, 6, 5, 1]).to(a), torch.tensor([2, 4, 3, 1]).to(b)))
        same_outcome(*on_both(lambda one: operation(one, torch.tensor(2.5)), torch.tensor([7, 6, 5, 1]).to(a)))


@pytest.mark.parametrize("shape", [(0,), (1, 0), (0, 3), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool])
def test_reductions_over_nothing(shape, dtype):
    whole = [torch.sum, torch.prod, torch.all, torch.any, torch.max, torch.argmax, torch.unique, torch.nonzero]
    along = [lambda t: t.sum(-1), lambda t: t.all(0), lambda t: t.amax(0), lambda t: t.sort(-1)[0], lambda t: t.mean(0)]
    for operation in whole + along:
        same_outcome(*on_both(operation, torch.zeros(shape, dtype=dtype)))


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.transpose(0, 2),
        lambda t: t[:, ::2],
        lambda t: t[:1].expand(3, 4, 5),
        lambda t: t[:, :1, :1].expand(3, 4, 5),
        lambda t: t.as_strided((3, 3, 3), (1, 1, 1), 2),
    ],
    ids=["transposed", "every second", "expanded", "twice expanded", "overlapping"],
)
def test_reductions_of_any_strides(view):
    dims = [some for count in (1, 2, 3) for some in itertools.combinations(range(3), count)]
    for operation, some in itertools.product((torch.sum, torch.amax, torch.mean), dims):
        same_outcome(*on_both(lambda t, some=some, op=operation: op(view(t), some), torch.arange(60.0).view(3, 4, 5)))


@pytest.mark.parametrize(
    "operation",
    [
        lambda t, i: t[i],
        lambda t, i: t.gather(0, i),
        lambda t, i: t.scatter(0, i, 1.0),
        lambda t, i: t.index_select(0, i),
        lambda t, i: t.index_put((i,), torch.ones((), device=t.device)),
        lambda t, i: torch.nn.functional.embedding(i, t.view(-1, 1)),
        lambda t, i: torch.nn.functional.one_hot(i.abs(), 4),
    ],
    ids=["index", "gather", "scatter", "index_select", "index_put", "embedding", "one_hot"],
)
@pytest.mark.parametrize("index", [9, -9])
def test_index_out_of_range_is_refused(operation, index):
    values = torch.arange(4.0, device=DEVICE)
    with pytest.raises((IndexError, RuntimeError)):
        operation(values, torch.tensor([index], device=DEVICE))
    assert values.sum().item() == 6, "the device works on"
