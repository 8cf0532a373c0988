"""What PyTorch builds on a device: modules, autograd, printing, other libraries' arrays, mixed precision, compilation."""

import copy
import re

import numpy
import pytest
import torch

import torch_fl
from tests.integration.lines import has

THERE = torch.device("flagos:1")

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # from PyTorch's own modules


@pytest.fixture(autouse=True)
def device_and_stream_as_before():
    yield
    assert torch_fl.current_device() == 0, "the test left another device current"
    assert torch_fl.current_stream() == torch_fl.default_stream(), "the test left another stream current"


# ---- modules ----

MOVES = {
    "to": lambda module: module.to("flagos"),
    "to and back": lambda module: module.to("flagos").cpu(),
    "between devices": lambda module: module.to("flagos:0").to(THERE),
    "flagos()": lambda module: module.flagos(1),
    "with a dtype": lambda module: module.to("flagos", torch.float64),
    "half": lambda module: module.to("flagos").half().cpu().float(),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_modules_keep_their_parameters(move):
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 4))
    module[2].weight = module[0].weight
    module(torch.ones(2, 4)).sum().backward()
    before, gradients = list(module.parameters()), [p.grad.clone() for p in module.parameters()]
    move(module)
    assert all(a is b for a, b in zip(before, module.parameters(), strict=True))
    assert module[2].weight is module[0].weight
    for parameter, gradient in zip(before, gradients, strict=True):
        assert parameter.device == parameter.grad.device == module[1].running_mean.device
        torch.testing.assert_close(parameter.grad.cpu().to(gradient.dtype), gradient, rtol=1e-2, atol=1e-2)
    assert not torch.__future__.get_swap_module_params_on_conversion()


def test_an_optimizer_follows_its_module():
    module = torch.nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(module.parameters(), lr=1.0)
    for device in ("flagos", "cpu", THERE):
        module.to(device)
        before = module.weight.detach().clone()
        module.weight.grad = None
        module(torch.ones(1, 2, device=device)).sum().backward()
        optimizer.step()
        assert torch.equal(module.weight.detach(), before - 1)


def test_data_moves_between_devices():
    leaf = torch.nn.Parameter(torch.ones(2))
    for value in (torch.zeros(3, device=THERE), torch.ones(4), torch.full((2,), 5.0, device="flagos:0")):
        leaf.data = value
        assert leaf.device == value.device and leaf.data_ptr() == value.data_ptr() and leaf.requires_grad
        (leaf * 2).sum().backward()
        assert leaf.grad.device == value.device
        leaf.grad = None
    with torch.no_grad():
        leaf.data = torch.ones(1)
    assert leaf.device.type == "cpu"


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage")
def test_data_of_another_kind_is_refused():
    for other in (
        torch.eye(2).to_sparse(),
        torch.eye(2).to_mkldnn(),
        torch.empty(2, device="meta"),
        torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8),
        torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]),
    ):
        leaf = torch.ones(2, device="flagos")
        with pytest.raises(RuntimeError, match="incompatible tensor type"):
            leaf.data = other
        with pytest.raises(RuntimeError, match="incompatible tensor type"):
            other.data = leaf
    assert not torch._has_compatible_shallow_copy_type(torch.ones(1), torch.empty(1, device="meta"))


def test_modules_made_on_the_device():
    assert torch.nn.Linear(2, 2, device="meta").to_empty(device=THERE).weight.device == THERE
    assert torch.nn.utils.skip_init(torch.nn.Linear, 2, 2, device=THERE).weight.device == THERE
    twin = copy.deepcopy(torch.nn.Linear(2, 2, device=THERE))
    assert twin.weight.device == THERE and twin(torch.ones(1, 2, device=THERE)).device == THERE


def test_packed_sequences():
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)]).flagos()
    assert packed.is_flagos and packed.data.sum().item() == 5 and not packed.cpu().is_flagos


def test_hooks_and_parametrizations():
    seen = []
    module = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2)).to(THERE)
    module.register_forward_hook(lambda m, args, output: seen.append(output.device))
    module.register_full_backward_hook(lambda m, grads, outputs: seen.append(outputs[0].device))
    module(torch.ones(1, 2, device=THERE, requires_grad=True)).sum().backward()
    assert seen == [THERE, THERE]
    spectral = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 4, device=THERE))
    assert torch.linalg.matrix_norm(spectral.weight, 2).item() == pytest.approx(1, abs=0.2)


# ---- the default device, fake and meta tensors ----


def factories():
    return [torch.ones(2), torch.tensor([1.0]), torch.arange(3), torch.rand(2), torch.nn.Linear(1, 1).weight]


def test_default_device():
    with torch.device(THERE):
        assert {t.device for t in factories()} == {THERE}
    torch.set_default_device("flagos")
    try:
        assert {t.device for t in factories()} == {torch.device("flagos:0")}
        with torch_fl.device(1):
            assert {t.device for t in factories()} == {THERE}
        torch.manual_seed(0)
        state = torch_fl.get_rng_state()
        torch_fl.set_rng_state(state)
        assert torch.get_rng_state().device.type == state.device.type == "cpu"
    finally:
        torch.set_default_device(None)
    assert torch.ones(1).device.type == "cpu"


def test_fake_tensors_allocate_nothing(clean_memory):
    from torch._subclasses.fake_tensor import FakeTensorMode

    before = torch_fl.memory_stats(1)["allocation.all.allocated"]
    with FakeTensorMode():
        fake = torch.ones(1 << 40, device=THERE) + 1
        assert fake.device == THERE and fake.shape == (1 << 40,)
    assert torch_fl.memory_stats(1)["allocation.all.allocated"] == before


# ---- autograd ----


def test_backward_on_the_device_and_stream_of_forward():
    seen = []

    class Probe(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            seen.append((torch_fl.current_device(), torch_fl.current_stream(), torch.empty(1, device="flagos").device))
            return grad

    stream = torch_fl.Stream(1)
    with stream:
        loss = Probe.apply(torch.ones(2, device=THERE, requires_grad=True)).sum()
    loss.backward()
    assert seen == [(1, stream, THERE)]


def test_gradient_of_a_side_stream_is_complete(busy):
    """The gradient was made on a side stream; whoever called backward() sees it whole."""
    leaf = torch.ones(1 << 16, device="flagos", requires_grad=True)
    stream = torch_fl.Stream()
    stream.wait_stream(torch_fl.current_stream())

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            result = torch.ones_like(grad)
            busy().occupy()
            return result.zero_()

    with stream:
        loss = Slow.apply(leaf).sum()
    torch_fl.current_stream().wait_stream(stream)
    loss.backward()
    assert leaf.grad.sum().item() == 0


def test_backward_across_devices():
    a, b = (torch.full((3,), 2.0, device=f"flagos:{i}", requires_grad=True) for i in range(2))
    (a.to(THERE) * b).sum().cpu().backward()
    assert a.grad.device.index == 0 and b.grad.device == THERE
    assert a.grad.tolist() == b.grad.tolist() == [2, 2, 2]


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint_draws_the_same_numbers_again(reentrant):
    masks = []

    def block(x):
        mask = torch.rand(8, device=x.device)
        masks.append(mask.tolist())
        return x * mask

    leaf = torch.ones(8, device=THERE, requires_grad=True)
    torch.utils.checkpoint.checkpoint(block, leaf, use_reentrant=reentrant).sum().backward()
    assert masks[0] == masks[1] == pytest.approx(leaf.grad.tolist())


def test_saved_on_the_cpu_and_pinned():
    leaf = torch.full((3,), 3.0, device=THERE, requires_grad=True)
    with torch.autograd.graph.save_on_cpu(pin_memory=True, device_type="flagos"):
        loss = leaf.square().sum()
    assert loss.grad_fn.next_functions[0][0]._raw_saved_self is not None
    loss.backward()
    assert leaf.grad.tolist() == [6, 6, 6]


def test_function_transforms():
    x = torch.arange(3.0, device=THERE)
    cubes = lambda v: (v**3).sum()  # noqa: E731
    assert torch.func.grad(cubes)(x).tolist() == [0, 3, 12]
    assert torch.func.hessian(cubes)(x).diagonal().tolist() == [0, 6, 12]
    assert torch.func.vmap(torch.dot)(x.expand(2, 3), x.expand(2, 3)).tolist() == [5, 5]
    assert torch.func.jvp(cubes, (x,), (torch.ones_like(x),))[1].item() == 15


# ---- mixed precision ----


def test_grad_scaler():
    weight = torch.full((2,), 2.0, device=THERE, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("flagos", init_scale=8.0, growth_interval=1)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()

    step(0.5)
    assert weight.tolist() == [1.5, 1.5] and scaler.get_scale() == 16
    step(float("inf"))
    assert weight.tolist() == [1.5, 1.5], "a step with infinite gradients was taken"
    assert scaler.get_scale() == 8
    assert scaler.state_dict()["scale"] == 8


# ---- numpy, dlpack, printing ----


def test_numpy_and_python_values():
    x = torch.arange(3.0, device=THERE)
    for convert in (lambda: x.numpy(), lambda: numpy.asarray(x), lambda: numpy.add(x, 1)):
        with pytest.raises(TypeError, match=r"Use Tensor\.cpu\(\)"):
            convert()
    assert x.numpy(force=True).tolist() == x.tolist() == [0, 1, 2]
    assert (x[1].item(), bool(x[0]), int(x[2]), float(x[2])) == (1.0, False, 2, 2.0)
    assert torch.from_numpy(numpy.ones(2)).to(THERE).sum().item() == 2
    assert x[numpy.array([2, 0])].tolist() == [2, 0]
    assert len({x, x, x.clone()}) == 2
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(x)


def test_dlpack_capsule_shares_memory():
    x = torch.arange(3.0, device=THERE)
    shared = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    x.fill_(7)
    assert shared.device == THERE and shared.data_ptr() == x.data_ptr() and shared.tolist() == [7, 7, 7]


@pytest.mark.xfail(
    strict=True, raises=ValueError, reason="__dlpack_device__ does not know renamed devices: pytorch#195815"
)
def test_dlpack_protocol():
    x = torch.ones(3, device=THERE)
    assert torch.from_dlpack(x).data_ptr() == x.data_ptr()


SHOWN = {
    "empty": torch.tensor([]),
    "empty with a shape": torch.zeros(2, 0),
    "0-dim": torch.tensor(3),
    "special values": torch.tensor([1.0, float("nan"), float("-inf"), -0.0]),
    "extremes": torch.tensor([1e-30, 1e30]),
    "summarised": torch.arange(3000),
    "bool": torch.tensor([True, False]),
    "complex": torch.tensor([1 + 2j]),
    "conjugated": torch.tensor([1 + 2j]).conj(),
    "strided": torch.arange(12.0).reshape(3, 4)[:, ::2],
    **{
        str(d): torch.ones(2, dtype=d)
        for d in (torch.uint8, torch.float16, torch.bfloat16, torch.float64, torch.uint16)
    },
    "float8": torch.ones(2).to(torch.float8_e5m2),
}


@pytest.mark.parametrize("tensor", SHOWN.values(), ids=SHOWN)
def test_text_is_that_of_the_cpu(tensor):
    def plain(text):
        return re.sub(r"\s+", "", text.replace(", device='flagos:1'", ""))

    there = tensor.to(THERE)
    assert plain(repr(there)) == plain(repr(tensor)) and "device='flagos:1'" in repr(there)
    assert plain(f"{there}") == plain(f"{tensor}") and str(there) == repr(there)


def test_text_of_parameters_numbers_and_storages():
    leaf = torch.nn.Parameter(torch.ones(1, device=THERE))
    assert repr(leaf).startswith("Parameter containing:") and "requires_grad=True" in repr(leaf)
    assert "grad_fn=<MulBackward0>" in repr(leaf * 2)
    assert f"{torch.tensor(2.0, device=THERE):.2f}" == "2.00"
    assert "device=flagos:1" in repr(leaf.untyped_storage())


def test_text_waits_for_the_work(busy):
    data = torch.ones(3, device="flagos")
    torch_fl.synchronize()
    with torch_fl.Stream():
        busy().occupy()
        data.zero_()
        assert repr(data) == "tensor([0., 0., 0.], device='flagos:0')"
    torch_fl.synchronize()


def test_text_of_a_large_tensor_takes_little_memory(clean_memory):
    large = torch.empty(1 << 28, dtype=torch.int8, device=THERE).zero_()
    before = torch_fl.memory_allocated(1)
    torch_fl.reset_peak_memory_stats(1)
    assert "..." in repr(large)
    assert torch_fl.max_memory_allocated(1) - before < 1 << 20


# ---- compilation, profiling, timing ----


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_training_step(backend):
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.Linear(4, 1)).to(THERE)
    x = torch.rand(5, 3, device=THERE)
    module(x).sum().backward()
    expected = [p.grad.cpu() for p in module.parameters()]
    module.zero_grad()
    torch.compile(module, backend=backend, fullgraph=True)(x).sum().backward()
    for parameter, gradient in zip(module.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad.cpu(), gradient)


def test_custom_operator_with_a_kernel_for_the_device():
    seen = []

    @torch.library.custom_op("torch_fl_test::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_kernel("flagos")
    def _(x):
        seen.append(type(x))
        return x * 2

    twice.register_fake(torch.empty_like)
    twice.register_autograd(lambda ctx, grad: grad * 2)
    leaf = torch.ones(2, device=THERE, requires_grad=True)
    torch.compile(lambda x: twice(x) + 1, backend="aot_eager", fullgraph=True)(leaf).sum().backward()
    assert leaf.grad.tolist() == [2, 2]
    assert seen == [torch.Tensor], "the kernel saw a fake tensor, or did not run"


def test_attention():
    q = torch.randn(2, 2, 5, 8)
    outputs = []
    for device in ("cpu", THERE):
        leaf = q.detach().clone().to(device).requires_grad_()
        output = torch.nn.functional.scaled_dot_product_attention(leaf, leaf, leaf, is_causal=True)
        output.square().sum().backward()
        outputs.append((output.detach().cpu(), leaf.grad.cpu()))
    torch.testing.assert_close(*outputs)


def test_exported_program():
    module = torch.nn.Linear(2, 2, device=THERE)
    x = torch.ones(1, 2, device=THERE)
    exported = torch.export.export(module, (x,)).module()
    torch.testing.assert_close(exported(x).cpu(), module(x).cpu())


def test_inductor_has_no_backend_for_the_device():
    with pytest.raises(Exception, match="flagos"):
        torch.compile(lambda x: x + 1)(torch.ones(2, device="flagos"))


def test_profiler_measures_device_time(busy):
    scratch = busy().scratch
    with torch.autograd.profiler.profile(use_device="flagos", use_kineto=False) as profile:
        scratch.zero_()
        torch_fl.synchronize()
    zero = next(event for event in profile.key_averages() if event.key == "aten::zero_")
    assert zero.device_time_total > 1000, "a memset of 64 MiB takes milliseconds"


@pytest.mark.parametrize("device", [None, "flagos"])
def test_profiler_leaves_the_program_alone(device, capfd):
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device:
        activities.append(torch.profiler.ProfilerActivity.PrivateUse1)
    with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
        result = (torch.ones(3, device="flagos") * 2).sum().item()
    assert result == 6
    assert "aten::mul" in profile.key_averages().table()
    assert "Exception" not in capfd.readouterr().err


def test_timer_waits_for_the_device(busy):
    from torch.utils import benchmark

    work = busy()
    work.occupy(4)
    assert not torch_fl.current_stream().query(), "the work was too short to tell"
    benchmark.Timer("work.occupy(4)", globals={"work": work}).timeit(2)
    assert torch_fl.current_stream().query(), "the timer did not wait"


# ---- what a device may have and this one has not ----


@has(torch.accelerator, "Graph")
def test_graph_capture_is_refused():
    with pytest.raises(RuntimeError, match="not supported on device type"):
        torch.accelerator.Graph()
    assert not torch_fl.current_stream().is_capturing()


def test_collectives_have_no_backend():
    with pytest.raises(ValueError, match="flagos"):
        torch.distributed.get_default_backend_for_device("flagos")


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_sparse_and_quantized_tensors_are_refused():
    for make in (
        lambda: torch.eye(2, device="flagos").to_sparse(),
        lambda: torch.quantize_per_tensor(torch.ones(2, device="flagos"), 1.0, 0, torch.qint8),
    ):
        with pytest.raises(NotImplementedError, match="flagos"):
            make()
