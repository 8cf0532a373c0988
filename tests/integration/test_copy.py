"""copy_ on flagos does what copy_ on the CPU does: the same bytes when it succeeds, an error when it refuses."""

import ctypes
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import torch_fl
from tests.integration.lines import empty_host_cache

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
    torch.float8_e4m3fn,
    torch.uint16,
]
DEVICES = ["cpu", "flagos:0", "flagos:1"]


# ---- copy_ of any two views ----


@dataclass(frozen=True)
class View:
    """How a tensor is made of a fresh base tensor: the same steps give the same tensor on every device."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    steps: tuple[tuple, ...]

    def base(self, first: int = 0) -> torch.Tensor:
        count = torch.Size(self.shape).numel()
        values = (first + torch.arange(count, dtype=torch.int64)) * 7 % 101
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


def attempt_copy(src: "View | Strided", src_device: str, dst: "View | Strided", dst_device: str, non_blocking: bool):
    """The destination's whole base after the copy, gaps included, or the error."""
    src_base = src.base().to(src_device)
    dst_base = dst.base(first=1).to(dst_device)
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


@dataclass(frozen=True)
class Strided:
    """Any size, strides and offset over a flat buffer, with the bits that PyTorch keeps beside them."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    conj: bool
    neg: bool

    def span(self) -> int:
        return 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))

    def base(self, first: int = 0) -> torch.Tensor:
        return View(self.dtype, (self.offset + self.span() + 3,), ()).base(first)

    def of(self, base: torch.Tensor) -> torch.Tensor:
        view = base.as_strided(self.shape, self.strides, self.offset)
        if self.conj and self.dtype.is_complex:
            view = view.conj()
        return view._neg_view() if self.neg and self.dtype != torch.bool else view


@st.composite
def strided(draw, shape: tuple[int, ...], dtypes, *, overlapping: bool) -> Strided:
    """The dimensions in any order, each with a gap after it or not; a source may also refer to elements repeatedly."""
    strides = [0] * len(shape)
    step = draw(st.sampled_from([1, 1, 2, 3]))
    for dim in draw(st.permutations(range(len(shape)))):
        strides[dim] = step
        step = step * shape[dim] + draw(st.sampled_from([0, 0, 1, 5, 300]))
    if overlapping and shape and draw(st.booleans()):
        strides[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from([0, 1, 2]))
    bits = st.sampled_from([False, False, False, True])
    return Strided(draw(dtypes), shape, tuple(strides), draw(st.integers(0, 9)), draw(bits), draw(bits))


@settings(max_examples=200)
@given(data=st.data(), src_device=st.sampled_from(DEVICES), dst_device=st.sampled_from(DEVICES), nb=st.booleans())
def test_any_strides(data, src_device, dst_device, nb):
    """Few and many pieces, with and without gaps, from tensors that one copy has to cut or to take in one range."""
    assume("flagos" in src_device + dst_device)
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 2, 3, 9, 20]), max_size=3)))
    dst = data.draw(strided(shape, st.sampled_from(DTYPES), overlapping=False))
    src = data.draw(strided(shape, st.just(dst.dtype) | st.sampled_from(DTYPES), overlapping=True))
    copies_like_the_cpu(src, dst, src_device, dst_device, nb)


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
    side = torch.Stream(device="flagos")
    with side:
        value = torch.zeros((), device="flagos")
        busy().occupy(4)
        value.copy_(torch.tensor(8.0).pin_memory(), non_blocking=True)
    torch_fl.current_stream().wait_stream(side)
    assert value.item() == 8
    assert torch.tensor(1 - 2j, device="flagos").conj().item() == 1 + 2j
    assert torch.tensor(1 - 2j, device="flagos").conj().imag.item() == 2
    assert torch.tensor([2.0, 3.0], device="flagos")[1:]._neg_view().item() == -3
    with pytest.raises(RuntimeError):
        torch.zeros(2, device="flagos").item()


@pytest.mark.parametrize(
    ("view", "dtype"),
    [
        pytest.param(lambda t: t.t(), torch.uint8, id="transposed"),
        pytest.param(lambda t: t[:, ::2].t(), torch.uint8, id="gaps, transposed"),
        pytest.param(lambda t: t[: t.shape[0] // 2], torch.int16, id="converted"),
    ],
)
def test_large_copies_are_cut(view, dtype):
    """More than one part of the host memory that a detour takes at once."""
    value = torch.randint(0, 251, (9 << 10, 8 << 10), dtype=torch.uint8)
    expected = view(value).to(dtype, memory_format=torch.contiguous_format)
    target = torch.zeros_like(expected, device="flagos")
    target.copy_(view(value.to("flagos")))
    assert torch.equal(target.cpu(), expected)


def test_copy_of_a_tensor_onto_itself():
    value = torch.arange(6.0).reshape(2, 3)
    there = value.to("flagos")
    assert there.copy_(there) is there
    assert torch.equal(there.cpu(), value)
    for source, target in (
        (lambda t: t[:, :-1], lambda t: t[:, 1:]),
        (lambda t: t.view(-1)[:-1], lambda t: t.view(-1)[1:]),
        (lambda t: t[:, :2].t(), lambda t: t[:, :2]),
    ):
        for device in ("cpu", "flagos"):
            tensor = value.to(device).clone()
            try:
                target(tensor).copy_(source(tensor))
                refused = False
            except RuntimeError as error:
                assert "single memory location" in str(error)
                refused = True
            if device == "cpu":
                expected = refused
        assert refused == expected
    # Nobody can tell that these overlap. The source is read before anything is written.
    assert there[:, :2].copy_(there[:, :2].t()).tolist() == [[0, 3], [1, 4]]
    column = torch.arange(12.0, device="flagos").reshape(4, 3)
    assert column[1:, :2].copy_(column[:-1, :2]).tolist() == [[0, 1], [3, 4], [6, 7]]
    complex_ = torch.tensor([1 - 2j, 3 - 4j], device="flagos")
    assert complex_.real.copy_(complex_.conj().imag).tolist() == [2, 4]


def test_complex_to_real_warns(run_forked):
    done = run_forked(
        """
        import torch, torch_fl, warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.zeros(2, device="flagos").copy_(torch.tensor([1 + 2j, 3], device="flagos"))
        print([str(w.message).split(" (")[0] for w in caught])
        """
    )
    assert done.stdout == "['Casting complex values to real discards the imaginary part']\n"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "foreign",
    [
        lambda: torch.quantize_per_tensor(torch.ones(2, 2), 0.1, 0, torch.quint8),
        lambda: torch.eye(2).to_sparse(),
        lambda: torch.eye(2).to_sparse_csr(),
        pytest.param(
            lambda: torch.ones(2, 2).to_mkldnn(),
            marks=pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no mkldnn"),
        ),
    ],
    ids=["quantized", "sparse", "csr", "mkldnn"],
)
def test_what_is_not_a_plain_strided_tensor_is_refused(foreign):
    there = torch.zeros(2, 2, device="flagos")
    with pytest.raises(RuntimeError, match=r"flagos: cannot copy from cpu|between mkldnn layout and dense"):
        there.copy_(foreign())
    with pytest.raises(RuntimeError, match=r"flagos: cannot copy from flagos|between mkldnn layout and dense"):
        foreign().copy_(there)
    assert there.eq(0).all()


def test_meta():
    there = torch.ones(3, device="flagos")
    assert there.to("meta").device.type == "meta"
    assert torch.empty(3, device="meta").copy_(there).device.type == "meta"
    with pytest.raises(NotImplementedError, match="no data"):
        there.copy_(torch.empty(3, device="meta"))
    assert there.eq(1).all()


def test_gradient_flows_through_copies():
    leaf = torch.ones(3, device="flagos", requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        leaf.copy_(torch.zeros(3))
    target = torch.zeros(3, dtype=torch.float64)
    target.copy_(leaf * 2)
    (target.to("flagos:1")[::2] * 3).sum().backward()
    assert leaf.grad.tolist() == [6, 0, 6]
    assert leaf.grad.device == leaf.device and leaf.grad.dtype == leaf.dtype


def test_copy_from_and_resize():
    value = torch.arange(6).reshape(2, 3)
    assert torch._copy_from_and_resize(value, torch.empty(0, device="flagos")).tolist() == value.tolist()
    assert torch._copy_from_and_resize(value.to("flagos").t(), torch.empty(4)).tolist() == value.t().tolist()
    with pytest.raises(RuntimeError):
        torch._copy_from_and_resize(value.to("flagos"), torch.from_numpy(value.numpy().copy())[:1].expand(2, 3))


LAYOUTS = {
    "permuted": lambda t: t.permute(3, 1, 0, 2),
    "gap": lambda t: t[:, 1:].transpose(0, 2),
    "expanded": lambda t: t[:, :1].expand(2, 7, 4, 5),
    "stepped": lambda t: t[..., ::2],
    "channels_last": lambda t: t.contiguous(memory_format=torch.channels_last),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_formats(layout):
    """The strides of the result are those that the same call gives on the CPU."""
    value = torch.randn(2, 3, 4, 5)
    here, there = LAYOUTS[layout](value), LAYOUTS[layout](value.to("flagos"))
    assert here.stride() == there.stride()
    for call in (
        lambda t: t.clone(),
        lambda t: t.clone(memory_format=torch.channels_last),
        lambda t: t.contiguous(),
        lambda t: t.contiguous(memory_format=torch.channels_last),
        lambda t: t.to(torch.float64),
        lambda t: t.to(torch.float64, memory_format=torch.channels_last),
        lambda t: t.to(torch.float32, copy=True),
        lambda t: t.to("meta").to("meta", copy=True),
    ):
        found, expected = call(there), call(here)
        assert found.stride() == expected.stride()
        assert expected.is_meta or torch.equal(found.cpu(), expected)
    assert here.to("flagos").stride() == torch.empty_like(here).stride()
    assert there.cpu().stride() == torch.empty_like(here).stride()


# ---- pieces ----


def test_copies_of_few_pieces_stay_asynchronous(busy):
    """A column block, a slice of a middle dimension, slices of a batch: as asynchronous as a copy of one range."""
    cuts = (lambda t: t.view(64, -1)[:, 9:], lambda t: t.view(2, 8, -1)[:, 2:6], lambda t: t.view(64, -1)[::2])
    for cut in cuts:
        pinned, back = torch.full((1 << 16,), 2.0).pin_memory(), torch.zeros(1 << 16).pin_memory()
        first, second = torch.zeros(1 << 16, device="flagos"), torch.zeros(1 << 16, device="flagos")
        torch_fl.synchronize()
        busy().occupy()
        cut(first).copy_(cut(pinned), non_blocking=True)
        cut(second).copy_(cut(first))
        cut(back).copy_(cut(second), non_blocking=True)
        assert not torch_fl.current_stream().query(), "a copy waited"
        assert back.eq(0).all()
        torch_fl.synchronize()
        expected = torch.zeros(1 << 16)
        cut(expected).fill_(2)
        assert torch.equal(back, expected)


def test_neighbours_of_pieces_are_not_touched(busy):
    """Another stream may write between the pieces at any time, as on CUDA."""
    target = torch.zeros(64, 1 << 12, device="flagos")
    left, right = target[:, :1000], target[:, 1000:]
    ones = torch.ones(64, 1000).pin_memory()
    torch_fl.synchronize()
    busy().occupy()
    left.copy_(ones, non_blocking=True)
    with torch.Stream(device="flagos"):
        right.copy_(torch.full((64, 3096), 2.0))
    assert not torch_fl.current_stream().query(), "the streams did not run side by side"
    torch_fl.synchronize()
    assert left.eq(1).all() and right.eq(2).all()


@pytest.mark.parametrize("step", [2, 3])
def test_threads_that_fill_alternate_columns(step):
    """What is finer than pieces has its neighbours rewritten, by one thread at a time."""
    target = torch.zeros(256, 1200, device="flagos")
    torch_fl.synchronize()
    start = threading.Barrier(step)

    def fill(first: int) -> None:
        with torch.Stream(device="flagos"):
            for value in range(1, 9):
                start.wait()
                target[:, first::step].copy_(torch.full((), 10.0 * value + first))
                start.wait()
                found.append(target[:, first::step].eq(10 * value + first).all().item())
                start.wait()

    found: list[bool] = []
    threads = [threading.Thread(target=fill, args=(first,)) for first in range(step)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * (8 * step)


def test_host_memory_follows_the_elements_and_not_the_span(run_forked):
    done = run_forked(
        """
        import torch, torch_fl, resource
        def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        there = torch.empty(1 << 28, device="flagos")  # 1 GiB
        far = there.as_strided((2,), ((1 << 28) - 1,))
        far.copy_(torch.ones(2))
        before = peak()
        far.copy_(far.double() + 1)  # another dtype: through host memory
        far.copy_(far.flip(0))
        assert far.tolist() == [2, 2]
        assert there[:: 1 << 20].to(torch.int8).shape == (256,)
        print(peak() - before)
        """
    )
    assert int(done.stdout) < 64, "MiB"


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
    empty_host_cache()
    source = torch.full((1 << 20,), 3.0).pin_memory()
    address = source.data_ptr()
    busy().occupy()
    there = source.to("flagos", non_blocking=True)
    del source
    other = torch.empty(1 << 20, pin_memory=True)
    assert other.data_ptr() != address
    other.fill_(9)
    assert not torch_fl.current_stream().query()
    assert there.cpu().eq(3).all()
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


def test_pinned_destination_is_not_reused_while_a_copy_writes_it(busy):
    source = torch.full((1 << 20,), 3.0, device="flagos")
    target = torch.zeros(1 << 20).pin_memory()
    address = target.data_ptr()
    torch_fl.synchronize()
    busy().occupy()
    target[9:].copy_(source[9:], non_blocking=True)
    del target
    other = torch.full((1 << 20,), 9.0, pin_memory=True)
    assert other.data_ptr() != address
    torch_fl.synchronize()
    assert other.eq(9).all()


def test_pinned_memory_of_another_owner_blocks(busy):
    """It is pinned, but nothing here can keep it from reuse until the stream has passed the copy."""
    library = ctypes.CDLL(str(Path(torch_fl.__file__).parent / "lib/libflagos_host.so"))
    address = ctypes.c_void_p()
    assert library.MallocHost(ctypes.byref(address), ctypes.c_size_t(4096)) == 0
    memory = torch.frombuffer((ctypes.c_char * 4096).from_address(address.value), dtype=torch.float32).fill_(5)
    try:
        assert memory.is_pinned() and memory[7:].is_pinned()
        target = torch.zeros(1024, device="flagos")
        for to, source in ((target[7:], memory[7:]), (memory[:9], target[:9])):
            busy().occupy(4)
            to.copy_(source, non_blocking=True)
            assert torch_fl.current_stream().query()
        assert memory[:9].tolist() == [0] * 7 + [5] * 2
    finally:
        del memory, to, source
        library.FreeHost(address)


@pytest.mark.parametrize("pinned", [False, True])
def test_converted_source_is_free_at_once(busy, pinned):
    """A copy that converts has read the caller's memory when it returns, and waits for nothing else."""
    source = torch.arange(1 << 16, pin_memory=pinned)
    target = torch.zeros(256, 256, device="flagos")
    torch_fl.synchronize()
    busy().occupy()
    target.t().copy_(source.view(256, 256), non_blocking=True)
    source.fill_(-1)
    assert not torch_fl.current_stream().query(), "the copy waited"
    assert torch.equal(target.t().cpu().reshape(-1), torch.arange(1 << 16).float())


@pytest.mark.parametrize("src_device", DEVICES)
@pytest.mark.parametrize("dst_device", DEVICES)
@pytest.mark.parametrize(
    "cut", [lambda t: t, lambda t: t[:, 3:], lambda t: t.t()], ids=["whole", "pieces", "transposed"]
)
def test_source_is_freed_right_after(busy, src_device, dst_device, cut):
    """The copy is still queued on a stream of either device when its source is gone and the memory is asked for again."""
    devices = [device for device in (src_device, dst_device) if device != "cpu"]
    if not devices:
        return
    streams = {device: torch.Stream(device=device) for device in devices}
    for device in devices:
        torch_fl.set_stream(streams[device])
    try:
        source = torch.full((64, 64), 5.0, device=src_device, pin_memory=src_device == "cpu")
        target = torch.zeros(64, 64, device=dst_device, pin_memory=dst_device == "cpu")
        for device in devices:
            busy(device).scratch.record_stream(streams[device])
            busy(device).occupy(3)
        cut(target).copy_(cut(source), non_blocking=True)
        del source
        again = torch.empty(64, 64, device=src_device, pin_memory=src_device == "cpu")
        again.fill_(9) if src_device == "cpu" else again.copy_(
            torch.full((64, 64), 9.0).pin_memory(), non_blocking=True
        )
        for device in devices:
            torch_fl.synchronize(device)
        expected = torch.zeros(64, 64)
        cut(expected).fill_(5)
        assert torch.equal(target.cpu(), expected)
        assert again.eq(9).all()
    finally:
        for device in devices:
            torch_fl.set_stream(torch_fl.default_stream(device))
        torch_fl.set_device(0)  # a stream brings its device with it


# ---- what is built on copy_ ----


@pytest.mark.parametrize("device", DEVICES)
def test_fill_like_the_cpu(device):
    """Bits, overlaps and gaps: filling is idempotent, so a tensor may refer to an element more than once."""
    views = (
        lambda t: t,
        lambda t: t.conj(),
        lambda t: t.conj().imag,
        lambda t: t.real._neg_view(),
        lambda t: t.as_strided((40, 60), (1, 1)),
        lambda t: t[3:4].expand(5, 1),
        lambda t: t[:, None].expand(-1, 3)[::2],
        lambda t: t[2::3],
        lambda t: t[5],
        lambda t: t[:0],
    )
    for view in views:
        for fill in (lambda t: t.fill_(3), lambda t: t.zero_()):
            expected, found = (
                torch.ones(400, dtype=torch.complex64),
                torch.ones(400, dtype=torch.complex64, device=device),
            )
            fill(view(expected))
            fill(view(found))
            assert torch.equal(found.cpu(), expected)


def test_zero_of_pieces_touches_nothing_else_and_does_not_wait(busy):
    target = torch.ones(64, 4096, device="flagos")
    torch_fl.synchronize()
    busy().occupy()
    target[:, 9:4000].zero_()
    target[:, 4000:].fill_(3)
    assert not torch_fl.current_stream().query()
    assert [target[:, part].eq(value).all().item() for part, value in ((slice(9), 1), (slice(9, 4000), 0))] == [
        True
    ] * 2
    assert target[:, 4000:].eq(3).all()


def test_uninitialised_memory_is_filled_when_asked():
    torch._C._set_deterministic_algorithms(True)  # the public function imports torch._inductor: 4 s
    try:
        for make in (
            lambda device: torch.empty(3, device=device),
            lambda device: torch.empty_strided((2, 2), (1, 3), device=device),
            lambda device: torch.empty(2, dtype=torch.int32, device=device),
            lambda device: torch.zeros(2, device=device).resize_(40),
        ):
            torch.testing.assert_close(make("flagos").cpu(), make("cpu"), equal_nan=True, rtol=0, atol=0)
    finally:
        torch._C._set_deterministic_algorithms(False)


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
