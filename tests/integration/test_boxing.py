"""Operators that run a kernel of another dispatch key on flagos memory; here the CPU's, for the host device shares memory."""

import gc
import threading

import pytest
import torch
from torch.testing import assert_close

import torch_fl
from gates.threads import in_threads
from torch_fl import _C

D = "flagos"


@pytest.fixture
def routed():
    """Route operators for a test; they must all be accepted, and run no fallback in the test."""
    names: list[str] = []

    def route(*operators: str) -> None:
        assert _C.route_operators(list(operators), "cpu") == []
        names.extend(operators)
        torch_fl.reset_fallback_counts()

    yield route
    _C.unroute_operators()
    fell_back = {name.removeprefix("aten::") for name in torch_fl.fallback_counts()}
    assert not fell_back & set(names)


def pair(*shape: int, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    """A CPU tensor and the same on the device."""
    on_cpu = torch.randn(*shape).to(dtype)
    return on_cpu, on_cpu.to(D)


def test_result_is_the_kernels_and_counted_flagos_memory(routed, clean_memory):
    routed("add.Tensor")
    a, b = pair(300, 300)
    before = torch_fl.memory_allocated()
    result = b + b
    assert torch_fl.memory_allocated() - before == 300 * 300 * 4 // 512 * 512 + 512 * (300 * 300 * 4 % 512 > 0)
    assert result.device == torch.device(D, 0) and result.untyped_storage().device == result.device
    assert_close(result.cpu(), a + a)
    del result
    assert torch_fl.memory_allocated() == before


def test_in_place_and_out_keep_their_identity(routed):
    routed("add_.Tensor", "add.out")
    a, b = pair(5)
    assert b.add_(b) is b
    out = torch.empty(5, device=D)
    assert torch.add(b, b, out=out) is out
    assert_close((b.cpu(), out.cpu()), (2 * a, 4 * a))


def test_out_is_resized_with_new_memory(routed, clean_memory):
    routed("add.out")
    before = torch_fl.memory_allocated()
    a, b = pair(40, 50)
    out = torch.empty(0, device=D)
    view = out.view(0)
    torch.add(b, b, out=out)
    assert out.shape == (40, 50) and view.untyped_storage().nbytes() == 8000
    assert view.untyped_storage().data_ptr() == out.data_ptr() != 0
    assert_close(out.cpu(), a + a)
    del out, view, b
    gc.collect()
    assert torch_fl.memory_allocated() == before


def test_in_place_broadcast_is_refused_and_changes_nothing(routed):
    routed("add_.Tensor", "add.out")
    small, large = torch.ones(3, device=D), torch.ones(2, 3, device=D)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        small.add_(large)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.add(small, large, out=small)
    assert small.tolist() == [1, 1, 1]


def test_overlap_is_seen_by_the_kernel(routed):
    routed("add.out", "mul_.Tensor")
    x = torch.arange(6.0, device=D)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        torch.add(x[:-1], x[1:], out=x[1:])
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.ones(1, device=D).expand(3).mul_(2)


def test_views_conjugates_and_offsets(routed):
    routed("add.Tensor", "mul.Tensor", "mm")
    a, b = pair(6, 8)
    assert_close((b[2:, 1::2] + b.t()[1:5, :4]).cpu(), a[2:, 1::2] + a.t()[1:5, :4])
    c = torch.randn(4, dtype=torch.complex64)
    d = c.to(D)
    assert_close((d.conj() * d).cpu(), c.conj() * c)
    assert_close((d[None].conj() @ d[:, None]).cpu(), c[None].conj() @ c[:, None])  # the kernel sees the lazy conjugate


def test_lists_and_optional_lists(routed):
    routed("cat", "index.Tensor", "_foreach_add.List", "_foreach_add_.List", "_foreach_norm.Scalar")
    a, b = pair(4, 3)
    assert_close(torch.cat([b, b[:1], b], 0).cpu(), torch.cat([a, a[:1], a], 0))
    rows = torch.tensor([2, 0])
    for index in (rows, rows.to(D)):  # indices may be on the CPU, as on CUDA
        assert_close(b[index, :].cpu(), a[rows, :])
        assert_close(b[:, index].cpu(), a[:, rows])
    many, also = [torch.full((2,), float(i)) for i in range(100)], [torch.full((2,), 1.0) for _ in range(100)]
    there, as_well = [t.to(D) for t in many], [t.to(D) for t in also]
    sums = torch._foreach_add(there, as_well)
    assert all(s.device.type == D for s in sums)
    torch._foreach_add_(there, as_well)
    for i in range(100):
        assert sums[i].tolist() == there[i].tolist() == [i + 1, i + 1]
    same = [there[0]] * 40  # one tensor many times is one for the kernel, too
    torch._foreach_add_(same, [as_well[0]] * 40)
    assert there[0].tolist() == [41, 41]
    torch._foreach_add_([*there[1:], there[50]], [*as_well[1:], as_well[50]])
    assert there[50].tolist() == [53, 53] and there[2].tolist() == [4, 4]


def test_tuples_optionals_and_several_results_in_one_memory(routed):
    routed("topk", "topk.values", "native_group_norm", "native_batch_norm")
    a, b = pair(7, 9)
    assert_close([t.cpu() for t in torch.topk(b, 3)], list(torch.topk(a, 3)))
    values, indices = torch.empty(0, device=D), torch.empty(0, device=D, dtype=torch.long)
    found = torch.topk(b, 2, out=(values, indices))
    assert found.values is values and found.indices is indices
    assert_close((values.cpu(), indices.cpu()), tuple(torch.topk(a, 2)))
    w, v = pair(9)
    for weights in ((None, None), (w, None)):
        expected = torch.group_norm(a[None].mT, 3, *weights)
        there = (weight if weight is None else v for weight in weights)
        assert_close(torch.group_norm(b[None].mT, 3, *there).cpu(), expected)
    mean, var = torch.zeros(9), torch.ones(9)
    there = mean.to(D), var.to(D)
    torch.native_batch_norm(a, None, None, mean, var, True, 0.1, 1e-5)
    torch.native_batch_norm(b, None, None, *there, True, 0.1, 1e-5)
    assert_close((there[0].cpu(), there[1].cpu()), (mean, var))


def test_autograd_goes_through(routed):
    routed("mul.Tensor", "sum", "exp", "mm", "t_copy")
    a, b = pair(3, 3)
    a.requires_grad_()
    b.requires_grad_()
    (a.exp() * a).mm(a).sum().backward()
    (b.exp() * b).mm(b).sum().backward()
    assert_close(b.grad.cpu(), a.grad)
    with torch.inference_mode():
        assert_close((b * b).cpu(), a * a)


def test_random_numbers_are_the_devices_generators(routed):
    routed("bernoulli_.float", "randperm.generator_out", "normal_")
    x = torch.empty(1000, device=D)
    torch_fl.manual_seed(7)
    first = x.normal_().cpu()
    second = x.normal_().cpu()
    torch_fl.manual_seed(7)
    assert torch.equal(x.normal_().cpu(), first) and not torch.equal(first, second)
    own = torch.Generator(D).manual_seed(3)
    cpu = torch.Generator().manual_seed(3)
    assert torch.equal(torch.randperm(50, device=D, generator=own).cpu(), torch.randperm(50, generator=cpu))


def test_factories_are_made_on_the_device(routed):
    routed("arange.start_out", "linspace.out", "randperm.generator_out", "eye.m_out")
    assert torch.arange(2, 9, 3, device=D).tolist() == [2, 5, 8]
    assert_close(torch.linspace(0, 1, 5, device=D).cpu(), torch.linspace(0, 1, 5))
    assert sorted(torch.randperm(9, device=f"{D}:1").tolist()) == list(range(9))
    assert torch.eye(2, 3, device=f"{D}:1").device == torch.device(D, 1)


def test_factory_kernels_make_their_result_on_the_device_named(routed, clean_memory):
    routed("tril_indices", "triu_indices")
    before = torch_fl.memory_allocated(1)
    found = torch.tril_indices(30, 40, device=f"{D}:1")
    assert found.device == torch.device(D, 1) and torch.equal(found.cpu(), torch.tril_indices(30, 40))
    assert torch_fl.memory_allocated(1) - before >= found.nbytes
    with torch_fl.device(1):
        assert torch.triu_indices(3, 3, device=D).device == torch.device(D, 1)


def test_device_of_the_tensors_is_current_for_the_call_only(routed, clean_memory):
    routed("add.Tensor", "mm")
    x = torch.ones(300, 300, device=f"{D}:1")
    before = torch_fl.memory_allocated(0), torch_fl.memory_allocated(1)
    result = x + x
    assert result.device == torch.device(D, 1) and torch_fl.current_device() == 0
    assert torch_fl.memory_allocated(0) == before[0] and torch_fl.memory_allocated(1) > before[1]
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        x.mm(x[:7])
    assert torch_fl.current_device() == 0


def test_what_is_undefined_stays_so(routed):
    routed("native_group_norm", "native_group_norm_backward")
    found = []
    for x in pair(2, 6):
        _, mean, rstd = torch.ops.aten.native_group_norm(x, None, None, 2, 6, 1, 3, 1e-5)
        of_input_only = [True, False, False]
        found.append(torch.ops.aten.native_group_norm_backward(x, x, mean, rstd, None, 2, 6, 1, 3, of_input_only))
    (expected, *none), (result, *also_none) = found
    assert none == also_none == [None, None]
    assert_close(result.cpu(), expected)


def test_tensors_that_are_zero_without_memory(run_forked):
    text = run_forked(
        """
        import torch
        from torch_fl import _C
        assert _C.route_operators(["dot"], "cpu") == []  # one of few that sees such a tensor, and might read its memory
        print(torch.dot(torch.ones(3, device="flagos"), torch._efficientzerotensor((3,), device="flagos")).item())
    """,
    ).stdout
    assert text == "0.0\n"


def test_devices_do_not_mix(routed):
    routed("add.Tensor", "cat", "mm")
    x = torch.ones(2, 2, device=D)
    for other in (torch.ones(2, 2), torch.ones(2, 2, device=f"{D}:1")):
        for function in (torch.add, torch.mm, lambda a, b: torch.cat([a, b])):
            with pytest.raises(RuntimeError, match="same device"):
                function(x, other)
    assert (x + torch.tensor(2.0)).tolist() == [[3, 3], [3, 3]]  # a CPU tensor without dimensions is a number
    assert (torch.tensor(2.0) + x + 1).device.type == D


def test_lists_may_hold_cpu_scalars_beside_tensors_of_the_device(routed):
    routed("_foreach_mul.List", "_foreach_mul_.List")
    many = [torch.full((2,), float(i), device=D) for i in range(3)]
    twos = [torch.tensor(2.0) for _ in many]
    assert [t.tolist() for t in torch._foreach_mul(many, twos)] == [[0, 0], [2, 2], [4, 4]]
    for wrong in (torch.ones(2), torch.tensor(2.0, device=f"{D}:1")):
        with pytest.raises(RuntimeError, match="same device"):
            torch._foreach_mul(many, [twos[0], wrong, twos[0]])
    with pytest.raises(RuntimeError, match="same device"):
        torch._foreach_mul_(twos, many)


def test_call_is_ordered_with_the_current_stream(routed, busy):
    routed("add.Tensor")
    stream = torch.Stream(D)
    x = torch.zeros(1 << 20, device=D)
    with stream:
        busy(D).occupy(2)
        x.fill_(1.0)
        total = x + 1
    assert total.cpu().eq(2).all()


def test_callers_tensor_is_a_flagos_tensor_all_the_time(routed):
    """Relabelling in place would show to another thread."""
    routed("sort.stable")
    x = torch.randn(1 << 20).to(D)
    seen, over = set(), threading.Event()

    def look():
        while not over.is_set():
            seen.add((x.device.type, x.untyped_storage().device.type, x.is_cpu))

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(3):
        torch.sort(x, stable=True)
    over.set()
    watcher.join()
    assert seen == {(D, D, False)}


def test_cpu_tensors_are_not_flagos_memory_after_a_call_or_a_failure(routed, clean_memory):
    routed("add.Tensor", "mm")
    x = torch.ones(4, device=D)
    with pytest.raises(RuntimeError):
        torch.mm(x, x)
    x + x
    before = torch_fl.memory_allocated()
    kept = torch.ones(1 << 20)
    assert torch_fl.memory_allocated() == before and kept.is_cpu


def test_threads(routed):
    routed("add.Tensor", "mul.Tensor", "mm")

    def work(seed: int):
        generator = torch.Generator().manual_seed(seed)
        a = torch.randn(64, 64, generator=generator)
        b = a.to(D)
        for _ in range(50):
            assert torch.allclose((b @ b + b * 2).cpu(), a @ a + a * 2, atol=1e-4)

    assert not in_threads(work, 6)


@pytest.fixture
def library():
    library = torch.library.Library("flagos_boxing_test", "DEF")
    yield library
    library._destroy()


def test_operator_that_others_define_is_boxed_by_its_schema(routed, library):
    library.define("scale(Tensor x, Tensor[] more, Tensor? bias, *, Generator? generator=None) -> (Tensor, Tensor[])")
    library.define("bump_(Tensor(a!) x) -> Tensor(a!)")
    library.define("tail(Tensor(a) x) -> Tensor(a)")
    library.impl(
        "scale",
        lambda x, more, bias, generator=None: (x * 2 if bias is None else x + bias, [t + 1 for t in more]),
        "CPU",
    )
    library.impl("bump_", lambda x: x.add_(1), "CPU")
    library.impl("tail", lambda x: x[1:], "CPU")
    routed("flagos_boxing_test::scale", "flagos_boxing_test::bump_", "flagos_boxing_test::tail")
    x = torch.arange(3.0, device=D)
    doubled, more = torch.ops.flagos_boxing_test.scale(x, [x, x], None)
    assert doubled.device.type == D and doubled.tolist() == [0, 2, 4]
    assert [t.tolist() for t in more] == [[1, 2, 3]] * 2 and more[0].device.type == D
    on_cpu = x.cpu()
    versions = x._version, on_cpu._version
    assert torch.ops.flagos_boxing_test.bump_(x) is x and x.tolist() == [1, 2, 3]
    torch.ops.flagos_boxing_test.bump_(on_cpu)
    assert x._version - versions[0] == on_cpu._version - versions[1] == 1  # autograd would miss the change
    tail = torch.ops.flagos_boxing_test.tail(x)
    assert tail.data_ptr() == x.data_ptr() + 4 and tail.untyped_storage().data_ptr() == x.data_ptr()


def test_operator_of_others_sees_its_own_device(routed, library):
    seen = []

    def like(x, *, device=None):
        seen.append((x.device.type, str(device)))
        return torch.ones(x.shape, device=device)

    library.define("like(Tensor x, *, Device? device=None) -> Tensor")
    library.impl("like", like, "CPU")
    routed("flagos_boxing_test::like")
    found = torch.ops.flagos_boxing_test.like(torch.zeros(2, device=D), device=f"{D}:1")
    assert seen == [("cpu", "cpu")]
    assert found.device == torch.device(D, 1) and found.tolist() == [1, 1]


def test_memory_that_a_kernel_brings_along_is_copied_into_flagos_memory(routed, library, clean_memory):
    brought = torch.frombuffer(bytearray(4096), dtype=torch.float32)
    library.define("bring(Tensor x) -> Tensor")
    library.impl("bring", lambda x: brought, "CPU")
    routed("flagos_boxing_test::bring")
    x = torch.ones(1, device=D)
    before = torch_fl.memory_allocated()
    found = torch.ops.flagos_boxing_test.bring(x)
    assert found.device == x.device and found.data_ptr() != brought.data_ptr() and brought.is_cpu
    assert torch_fl.memory_allocated() - before == 4096
    found.fill_(1)
    assert brought.sum() == 0


def test_all_that_is_wrong_is_told_at_once(routed, library):
    library.define("cuda_only(Tensor x) -> Tensor")
    problems = _C.route_operators(
        ["add.Tensor", "nosuch.op", "mul.Tensor", "zero_", "add.Tensor", "flagos_boxing_test::cuda_only"], "cpu"
    )
    assert problems == [
        "nosuch.op: this torch has no such operator",
        "zero_: flagos has a kernel of its own for it",
        "add.Tensor: it is routed already",
        "flagos_boxing_test::cuda_only: there is no kernel for CPU",
    ]
    assert _C.routed_operators() == ["add.Tensor", "mul.Tensor"]


def test_target_that_is_not_there(run_forked):
    text = run_forked(
        """
        from torch_fl import _C
        try:
            _C.route_operators(["add.Tensor"], "cuda")
        except RuntimeError as error:
            print(error)
    """
    ).stdout
    assert "torch has no device 'cuda' here: " in text


def test_memory_that_the_host_does_not_share_is_refused(run_forked):
    text = run_forked(
        """
        from torch_fl import _C
        try:
            _C.route_operators(["add.Tensor"], "cpu")
        except RuntimeError as error:
            print(error)
    """,
        FLAGOS_HOST_ISOLATE="1",
    ).stdout
    assert "shares with the device" in text and "conf" in text
