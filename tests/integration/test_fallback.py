"""Operators without a flagos kernel: the CPU's result, on the device of the inputs, and counted."""

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


def test_two_devices_in_one_call_are_refused():
    with pytest.raises(RuntimeError, match=r"same device.*flagos:0 and flagos:1"):
        torch.ones(2, device="flagos:0") + torch.ones(2, device="flagos:1")
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(2, 2, device="flagos:0").matmul(torch.ones(2, 2, device="flagos:1"))


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


def test_trace_prints_one_line_for_each_call(run_forked):
    code = """
        import torch, torch_fl
        a = torch.empty(2, device="flagos").zero_()
        a.add_(1)
        a.add_(1)
        torch.ops.aten.sort(a)
        print(sum(torch_fl.fallback_counts().values()))
    """
    traced = run_forked(code, FLAGOS_TRACE_FALLBACK="1")
    lines = [line for line in traced.stderr.splitlines() if line.startswith("[flagos fallback] aten::")]
    assert len(lines) == int(traced.stdout) == 3
    assert lines[0] == lines[1] and "add" in lines[0] and "sort" in lines[2]
    for quiet in ({}, {"FLAGOS_TRACE_FALLBACK": "0"}):
        assert run_forked(code, **quiet).stderr == ""
