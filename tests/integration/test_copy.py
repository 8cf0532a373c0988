"""copy_ on flagos does what copy_ on the CPU does: the same bytes when it succeeds, an error when it refuses."""

import warnings
from dataclasses import dataclass

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import torch_fl

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int16,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
]
DEVICES = ["cpu", "flagos:0", "flagos:1"]


# ---- copy_ of any two views ----


@dataclass(frozen=True)
class View:
    """How a tensor is made of a fresh base tensor: the same steps give the same tensor on every device."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    steps: tuple[tuple, ...]

    def base(self) -> torch.Tensor:
        count = torch.Size(self.shape).numel()
        values = torch.arange(count, dtype=torch.int64) * 7 % 101
        if self.dtype.is_complex:
            return torch.complex(values.double(), 1.0 - values.double()).to(self.dtype).reshape(self.shape)
        return values.to(self.dtype).reshape(self.shape)

    def of(self, base: torch.Tensor) -> torch.Tensor:
        view = base
        for name, *arguments in self.steps:
            view = STEPS[name](view, *arguments)
        return view


def _sized(t: torch.Tensor) -> bool:
    return t.dim() > 0 and all(size > 1 for size in t.shape)


def _narrow(t: torch.Tensor, dim: int, start: int) -> torch.Tensor:
    if not _sized(t):
        return t
    size = t.size(dim % t.dim())
    length = (size + 1) // 2
    return t.narrow(dim % t.dim(), start % (size - length + 1), length)


def _step(t: torch.Tensor, dim: int, step: int) -> torch.Tensor:
    if t.dim() == 0:
        return t
    return t[(slice(None),) * (dim % t.dim()) + (slice(None, None, step),)]


STEPS = {
    "transpose": lambda t: t.transpose(0, -1) if t.dim() > 1 else t,
    "narrow": _narrow,
    "step": _step,
    "expand": lambda t, n: t.unsqueeze(0).expand(n, *t.shape),
    "unsqueeze": lambda t: t.unsqueeze(-1),
    "select": lambda t: t.select(0, t.size(0) - 1) if _sized(t) else t,
    "conj": lambda t: t.conj(),
    "neg": lambda t: t.conj().imag if t.is_complex() else t._neg_view() if t.dtype != torch.bool else t,
}

steps = st.one_of(
    st.just(("transpose",)),
    st.tuples(st.just("narrow"), st.integers(0, 2), st.integers(0, 3)),
    st.tuples(st.just("step"), st.integers(0, 2), st.integers(1, 3)),
    st.tuples(st.just("expand"), st.integers(1, 3)),
    st.just(("unsqueeze",)),
    st.just(("select",)),
    st.just(("conj",)),
    st.just(("neg",)),
)
views = st.builds(
    View,
    dtype=st.sampled_from(DTYPES),
    shape=st.lists(st.integers(0, 4) | st.integers(2, 5), max_size=3).map(tuple),
    steps=st.lists(steps, max_size=3).map(tuple),
)


def attempt_copy(src: View, src_device: str, dst: View, dst_device: str, non_blocking: bool):
    """The destination's whole base after the copy, gaps included, or the error."""
    src_base = src.base().to(src_device)
    dst_base = (dst.base() + 1 if dst.dtype != torch.bool else dst.base()).to(dst_device)
    src_view, dst_view = src.of(src_base), dst.of(dst_base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex to real, as on the CPU
        try:
            dst_view.copy_(src_view, non_blocking=non_blocking)
        except RuntimeError as error:
            return error
    return dst_base.cpu()


def assert_same(found, expected):
    if isinstance(expected, RuntimeError):
        assert isinstance(found, RuntimeError), f"the CPU refuses this ({expected}), flagos did it"
        return
    assert not isinstance(found, RuntimeError), f"the CPU does this, flagos refuses: {found}"
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert torch.equal(found.reshape(-1).view(torch.uint8), expected.reshape(-1).view(torch.uint8))


def copies_like_the_cpu(src, dst, src_device, dst_device, non_blocking):
    assert_same(
        attempt_copy(src, src_device, dst, dst_device, non_blocking), attempt_copy(src, "cpu", dst, "cpu", False)
    )


@given(src=views, dst=views, src_device=st.sampled_from(DEVICES), dst_device=st.sampled_from(DEVICES), nb=st.booleans())
def test_any_two_views(src, dst, src_device, dst_device, nb):
    copies_like_the_cpu(src, dst, src_device, dst_device, nb)


@given(data=st.data(), dst=views, src_device=st.sampled_from(DEVICES), dst_device=st.sampled_from(DEVICES))
def test_views_that_fit(data, dst, src_device, dst_device):
    """Mostly successful copies: the source broadcasts to the destination."""
    shape = tuple(dst.of(dst.base()).shape)
    keep = data.draw(st.integers(0, len(shape)))
    ones = data.draw(st.sets(st.integers(0, 3)))
    shape = tuple(1 if i in ones else size for i, size in enumerate(shape))[len(shape) - keep :]
    late = data.draw(st.lists(st.sampled_from([("conj",), ("neg",)]), max_size=2).map(tuple))
    src = View(data.draw(st.sampled_from(DTYPES)), shape, late)
    copies_like_the_cpu(src, dst, src_device, dst_device, False)


@given(
    shape=st.lists(st.integers(2, 5), min_size=1, max_size=3).map(tuple),
    first=st.lists(steps, max_size=2).map(tuple),
    second=st.lists(steps, max_size=2).map(tuple),
)
def test_views_of_one_tensor(shape, first, second):
    """Source and destination that share memory. What the CPU refuses is refused. Where it cannot tell that they overlap,
    its result depends on the order of elements; here the source is read before anything is written."""

    def attempt(device, snapshot):
        base = View(torch.float32, shape, ()).base().to(device)
        src = View(torch.float32, shape, first).of(base)
        dst = View(torch.float32, shape, second).of(base)
        try:
            dst.copy_(src.clone() if snapshot else src)
        except RuntimeError as error:
            return error
        return base.cpu()

    expected = attempt("cpu", snapshot=False)
    if not isinstance(expected, RuntimeError):
        snapshot = attempt("cpu", snapshot=True)  # an error if both are the same view, which copies nothing
        expected = expected if isinstance(snapshot, RuntimeError) else snapshot
    assert_same(attempt("flagos", snapshot=False), expected)


# ---- the rules, one by one ----


@pytest.mark.parametrize("device", DEVICES)
def test_cast_on_the_way(device):
    target = torch.empty(8, dtype=torch.float16, device=device)
    target.copy_(torch.arange(8.0, device="flagos"))
    assert target.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert torch.arange(3, device="flagos").to("cpu", torch.float64).tolist() == [0, 1, 2]


def test_broadcast_and_shape_mismatch():
    target = torch.zeros(2, 3, device="flagos")
    target.copy_(torch.tensor([1.0, 2.0, 3.0]))
    assert target.tolist() == [[1, 2, 3]] * 2
    with pytest.raises(RuntimeError):
        torch.zeros(4, device="flagos").copy_(torch.zeros(8))
    with pytest.raises(RuntimeError):
        torch.zeros(4).copy_(torch.zeros(8, device="flagos"))


def test_expanded_destination_is_refused():
    for source in (torch.ones(3), torch.ones(3, device="flagos")):
        with pytest.raises(RuntimeError, match="single memory location"):
            torch.zeros(1, device="flagos").expand(3).copy_(source)


def test_gaps_survive():
    target = torch.zeros(4, 6, device="flagos")
    target[1:3, ::2] = torch.ones(2, 3)
    assert target.sum().item() == 6
    assert target[1].tolist() == [1, 0, 1, 0, 1, 0]


def test_lazy_conjugate_and_negative():
    value = torch.tensor([1 + 2j, 3 - 4j])
    there = value.to("flagos")
    assert torch.equal(there.conj().cpu().resolve_conj(), value.conj().resolve_conj())
    assert torch.equal(there.conj().imag.cpu(), value.conj().imag.resolve_neg())
    assert torch.equal(value.conj().to("flagos").cpu(), value.conj().resolve_conj())
    assert there.conj().clone().cpu()[0] == 1 - 2j
    target = torch.zeros(2, dtype=torch.complex64, device="flagos")
    target.conj().copy_(there)
    assert torch.equal(target.cpu(), value.conj().resolve_conj())


def test_between_devices_keeps_values():
    value = torch.randn(300, 300)
    first = value.to("flagos:0")
    second = first.to("flagos:1")
    assert second.device == torch.device("flagos:1") and second.data_ptr() != first.data_ptr()
    assert torch.equal(second.t().to("flagos:0").cpu(), value.t())
    assert torch_fl.current_device() == 0


@pytest.mark.parametrize("direction", ["to", "from"])
def test_copy_between_devices_is_ordered_with_both_streams(busy, direction):
    """Producer, copy and consumer on two devices, no synchronisation by hand."""
    near, far = ("flagos:0", "flagos:1") if direction == "to" else ("flagos:1", "flagos:0")
    ones = torch.ones(1 << 22).pin_memory()
    twos = torch.full((1 << 22,), 2.0).pin_memory()
    source = torch.zeros(1 << 22, device=near)
    target = torch.zeros(1 << 22, device=far)
    torch_fl.synchronize(0)
    torch_fl.synchronize(1)
    busy(near).occupy(8)
    busy(far).occupy(8)
    source.copy_(ones, non_blocking=True)  # late on the source's stream
    target.copy_(twos, non_blocking=True)  # late on the destination's stream
    target.copy_(source)
    source.zero_()  # after the copy has read it
    after = target.clone()
    assert after.sum().item() == 1 << 22


def test_copy_uses_the_current_stream(busy):
    """The default stream being busy must not delay, and not order, a copy on another stream."""
    torch_fl.synchronize()
    busy().occupy()
    side = torch.Stream(device="flagos")
    with side:
        value = torch.arange(5.0).to("flagos")
        assert value.tolist() == [0, 1, 2, 3, 4]
        assert not torch_fl.default_stream().query(), "the copy waited for the default stream, or work was too short"
    with side:
        busy().occupy()
        late = torch.ones(3).to("flagos").cpu()
        assert side.query(), "a blocking copy to the host returned before its stream had passed it"
        assert late.tolist() == [1, 1, 1]


def test_item_is_ordered_with_the_current_stream(busy):
    for stream in (None, torch.Stream(device="flagos")):
        with torch_fl.stream(stream):
            value = torch.zeros((), device="flagos")
            busy().occupy(4)
            value.copy_(torch.tensor(7.0).pin_memory(), non_blocking=True)
            assert value.item() == 7
    assert torch.tensor(1 - 2j, device="flagos").conj().item() == 1 + 2j
    with pytest.raises(RuntimeError):
        torch.zeros(2, device="flagos").item()


# ---- non_blocking ----


def test_non_blocking_returns_early_for_pinned_memory_only(busy):
    pinned = torch.ones(1 << 20).pin_memory()
    assert pinned.is_pinned() and not torch.ones(3).is_pinned()
    target = torch.zeros(1 << 20, device="flagos")
    busy().occupy()
    target.copy_(pinned, non_blocking=True)
    assert not torch_fl.current_stream().query(), "the copy from pinned memory waited"
    target.copy_(torch.full((1 << 20,), 2.0), non_blocking=True)
    assert torch_fl.current_stream().query(), "pageable memory may not be used after the call returns"
    assert target[0].item() == 2

    busy().occupy()
    pinned.copy_(target, non_blocking=True)
    assert pinned[0].item() == 1, "the host sees the result before the stream came to the copy"
    torch_fl.synchronize()
    assert pinned[-1].item() == 2

    busy().occupy()
    target.copy_(pinned)
    assert torch_fl.current_stream().query(), "a blocking copy returned early"


def test_pinned_block_is_not_reused_while_a_copy_reads_it(busy):
    torch_fl.synchronize()
    source = torch.full((1 << 20,), 3.0).pin_memory()
    address = source.data_ptr()
    busy().occupy()
    there = source.to("flagos", non_blocking=True)
    del source
    other = torch.empty(1 << 20, pin_memory=True)
    assert other.data_ptr() != address
    other.fill_(9)
    assert not torch_fl.current_stream().query()
    assert there.sum().item() == 3 << 20
    again = torch.empty(1 << 20, pin_memory=True)
    assert again.data_ptr() == address, "a block whose copies have finished is handed out again"


def test_pinned_view_keeps_the_whole_block(busy):
    torch_fl.synchronize()
    source = torch.full((1 << 20,), 3.0).pin_memory()
    address = source.data_ptr()
    busy().occupy()
    there = source[1 << 19 :].to("flagos", non_blocking=True)
    del source
    assert torch.empty(1 << 20, pin_memory=True).data_ptr() != address
    assert there.sum().item() == 3 << 19


# ---- what is built on copy_ ----


def test_fill_and_zero():
    for device in DEVICES[1:]:
        tensor = torch.empty(3, 4, device=device).fill_(2.5)
        assert tensor.eq(2.5).all()
        tensor[:, ::2].zero_()
        assert tensor.sum().item() == 15
        tensor.t().zero_()
        assert tensor.eq(0).all()
        expanded = torch.empty(1, device=device).expand(4)
        assert expanded.fill_(3).tolist() == [3] * 4
        assert expanded.zero_().tolist() == [0] * 4
    with pytest.raises(RuntimeError):
        torch.empty(2, dtype=torch.uint8).flagos().fill_(300)


def test_no_data_operator_uses_the_fallback():
    torch_fl.reset_fallback_counts()
    tensor = torch.zeros(4, 4, device="flagos").fill_(1)
    tensor.t()[1:].copy_(torch.ones(3, 4, dtype=torch.int32))
    tensor.to("flagos:1").clone().resize_(2, 2).cpu()
    tensor.view(2, 8).unfold(0, 1, 1).contiguous().storage_offset()
    tensor[0, 0].item()
    torch.empty(2, device="flagos").set_(tensor).record_stream(torch.Stream(device="flagos"))
    assert torch_fl.fallback_counts() == {}


def test_isolated_mode(run_forked):
    """Device memory that no host code may touch: whatever dereferences a device pointer dies here."""
    done = run_forked(
        """
        import ctypes, faulthandler, io, sys, torch, torch_fl

        value = torch.arange(24.0).reshape(4, 6)
        there = value.to("flagos")
        torch_fl.empty_cache()
        assert torch.equal(there.t()[1:4, ::2].cpu(), value.t()[1:4, ::2])
        there[::2].copy_(torch.ones(6, dtype=torch.int64))
        assert there.sum().item() == 12 + value[1::2].sum()
        assert torch.equal(there.to("flagos:1").to(torch.float16).cpu().float(), there.cpu())
        there.fill_(3).zero_()
        there.untyped_storage().resize_(8192)
        there.resize_(64)
        there[0] = 5
        z = torch.tensor([1 + 2j], device="flagos").conj()
        assert z.imag.item() == -2 and z.clone().cpu()[0] == 1 - 2j
        torch._lazy_clone(there).add_(1)
        x = torch.randn(4, 4, device="flagos", requires_grad=True)
        torch.nn.functional.conv1d(x[None], torch.ones(2, 4, 3, device="flagos")).relu().sum().backward()
        assert x.grad.shape == (4, 4)
        torch._foreach_add_([there], 1)
        repr(there)
        buffer = io.BytesIO()
        torch.save(there, buffer)
        buffer.seek(0)
        assert torch.equal(torch.load(buffer).cpu(), there.cpu())
        there.storage().tolist()
        print("alive", flush=True)
        ctypes.string_at(there.data_ptr(), 1)
        """,
        status=-11,
        FLAGOS_HOST_ISOLATE="1",
    )
    assert done.stdout == "alive\n"
