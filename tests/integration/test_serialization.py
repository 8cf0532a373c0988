"""Tensors of the device in files, in pickles, in copies, and on the way to other processes."""

import copy
import io
import pickle
from multiprocessing.reduction import ForkingPickler

import pytest
import torch

import torch_fl
from tests.integration.lines import has

THERE = torch.device("flagos:1")


def saved(thing, **how):
    buffer = io.BytesIO()
    torch.save(thing, buffer, **how)
    buffer.seek(0)
    return buffer


def checkpoint():
    base = torch.arange(6.0, device=THERE)
    return {"base": base, "view": base[::2], "parameter": torch.nn.Parameter(base.clone()), "cpu": torch.ones(2)}


MAP_LOCATIONS = {
    "nothing": (None, "flagos:1"),
    "cpu": ("cpu", "cpu"),
    "current device": ("flagos", "flagos:0"),
    "text": ("flagos:0", "flagos:0"),
    "device": (torch.device("flagos:0"), "flagos:0"),
    "cpu device": (torch.device("cpu"), "cpu"),
    "dict": ({"flagos:1": "flagos:0"}, "flagos:0"),
    "dict to cpu": ({"flagos:1": "cpu"}, "cpu"),
    "dict that says nothing": ({"flagos:0": "cpu"}, "flagos:1"),
    "function": (lambda storage, location: storage, "cpu"),
    "function by location": (
        lambda storage, location: storage.flagos(0) if location == "flagos:1" else None,
        "flagos:0",
    ),
}


@pytest.mark.parametrize("weights_only", [True, False], ids=["weights only", "any object"])
@pytest.mark.parametrize("zip_format", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize(("where", "device"), MAP_LOCATIONS.values(), ids=MAP_LOCATIONS)
def test_map_location(where, device, zip_format, weights_only):
    file = saved(checkpoint(), _use_new_zipfile_serialization=zip_format)
    loaded = torch.load(file, map_location=where, weights_only=weights_only)
    for name in ("base", "view", "parameter"):
        assert str(loaded[name].device) == str(loaded[name].untyped_storage().device) == device, name
    assert loaded["base"].tolist() == [0, 1, 2, 3, 4, 5]
    assert loaded["view"].tolist() == [0, 2, 4]
    assert loaded["view"].untyped_storage().data_ptr() == loaded["base"].untyped_storage().data_ptr()
    assert isinstance(loaded["parameter"], torch.nn.Parameter) and loaded["parameter"].requires_grad


def test_the_tag_is_the_exact_device():
    assert torch.serialization.location_tag(torch.empty(1, device=THERE).untyped_storage()) == "flagos:1"
    assert torch.serialization.location_tag(torch.empty(1).untyped_storage()) == "cpu"
    on_cpu = torch.load(saved(torch.arange(3)), map_location="flagos:1")
    assert on_cpu.device == THERE and on_cpu.tolist() == [0, 1, 2]


@pytest.mark.parametrize("where", ["flagos:9", {"flagos:1": "flagos:9"}], ids=["text", "dict"])
def test_device_that_does_not_exist(where):
    with pytest.raises(RuntimeError, match=r"9 but torch\.flagos\.device_count\(\) is 2"):
        torch.load(saved(checkpoint()), map_location=where)


def test_memory_mapped_file(tmp_path):
    torch.save(checkpoint(), tmp_path / "file.pt")
    for where, device in ((None, THERE), ("cpu", torch.device("cpu"))):
        loaded = torch.load(tmp_path / "file.pt", mmap=True, map_location=where)
        assert loaded["base"].device == device and loaded["view"].tolist() == [0, 2, 4]


@has(torch.accelerator, "get_device_capability")
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_every_dtype_keeps_its_bits():
    for dtype in torch.accelerator.get_device_capability()["supported_dtypes"]:
        data = torch.ones(16, dtype=dtype) if dtype == torch.bool else torch.arange(64, dtype=torch.uint8).view(dtype)
        try:
            saved(data)
        except KeyError:  # PyTorch has no name for it in files
            continue
        loaded = torch.load(saved(data.to(THERE)))
        assert loaded.dtype == dtype and torch.equal(loaded.cpu().view(torch.uint8), data.view(torch.uint8)), dtype


def test_work_in_flight_is_in_the_file(busy):
    data = torch.ones(1 << 16, device="flagos")
    torch_fl.synchronize()
    busy().occupy()
    data.zero_()
    assert not torch_fl.current_stream().query(), "the work was too short to tell"
    assert torch.load(saved(data), map_location="cpu").eq(0).all()


def test_training_goes_on_where_it_stopped():
    def make():
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)).to(THERE)
        return model, torch.optim.Adam(model.parameters(), lr=0.1)

    def step(model, optimizer):
        optimizer.zero_grad()
        model(torch.arange(12.0, device=THERE).reshape(4, 3)).square().mean().backward()
        optimizer.step()

    model, optimizer = make()
    step(model, optimizer)
    file = saved({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch_fl.get_rng_state(1)})
    step(model, optimizer)
    other, other_optimizer = make()
    state = torch.load(file)
    assert state["model"]["0.weight"].device == THERE and state["rng"].device.type == "cpu"
    other.load_state_dict(state["model"])
    other_optimizer.load_state_dict(state["optimizer"])
    torch_fl.set_rng_state(state["rng"], 1)
    step(other, other_optimizer)
    for name, value in model.state_dict().items():
        assert torch.equal(value.cpu(), other.state_dict()[name].cpu()), name
    moments = {slot["exp_avg"].device for slot in other_optimizer.state_dict()["state"].values()}
    assert moments == {THERE}


def test_whole_module():
    loaded = torch.load(saved(torch.nn.Linear(2, 2, device=THERE)), weights_only=False)
    assert loaded.weight.device == THERE and isinstance(loaded.weight, torch.nn.Parameter)


def test_safetensors(tmp_path):
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed")
    safetensors.save_file({"weight": torch.arange(4.0, device=THERE)}, tmp_path / "model.safetensors")
    loaded = safetensors.load_file(tmp_path / "model.safetensors")["weight"].to(THERE)
    assert loaded.tolist() == [0, 1, 2, 3]


COPIERS = {"deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}


@pytest.mark.parametrize("copier", COPIERS.values(), ids=COPIERS)
def test_copies_are_of_the_same_kind(copier):
    base = torch.arange(4.0, device=THERE)
    things = {"base": base, "tail": base[2:], "leaf": torch.nn.Parameter(base.clone())}
    copied = copier(things)
    for name, thing in copied.items():
        assert thing.device == thing.untyped_storage().device == THERE and type(thing) is type(things[name]), name
        assert thing.data_ptr() != things[name].data_ptr(), name
    copied["base"].fill_(9)
    shared = copier is copy.deepcopy  # pickle has each tensor alone, on the CPU as well
    assert copied["tail"].tolist() == ([9, 9] if shared else [2, 3]) and base.tolist() == [0, 1, 2, 3]
    assert copied["leaf"].requires_grad and copied["leaf"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("copier", COPIERS.values(), ids=COPIERS)
def test_lazy_bits_survive(copier):
    base = torch.tensor([1 + 2j, 3 - 4j], device=THERE)
    for tensor in (base.conj(), base.conj().imag, torch._neg_view(base.real)):
        assert torch.equal(copier(tensor).cpu().resolve_conj(), tensor.cpu().resolve_conj())


# ---- other processes ----


def test_storage_methods():
    storage = torch.arange(4, dtype=torch.uint8).untyped_storage().flagos(1)
    assert storage.is_flagos and storage.device == THERE and storage.tolist() == [0, 1, 2, 3] and storage[2] == 2
    assert storage.clone().device == THERE and storage.cpu().device.type == "cpu"
    assert torch.UntypedStorage(4, device=THERE).copy_(storage).tolist() == [0, 1, 2, 3]
    assert not torch.ones(1).untyped_storage().is_flagos and not storage.is_pinned()


@pytest.mark.parametrize("strategy", ["file_descriptor", "file_system"])
def test_sending_to_another_process_is_refused(strategy):
    """The contract has no call that shares memory between processes. PyTorch's share_memory_ does nothing off the CPU;
    what sends the tensor raises, and the way through host memory works."""
    former = torch.multiprocessing.get_sharing_strategy()
    torch.multiprocessing.set_sharing_strategy(strategy)
    try:
        tensor = torch.ones(3, device="flagos").share_memory_()
        for thing in (tensor, torch.nn.Parameter(tensor), torch.nn.Linear(2, 2, device="flagos")):
            with pytest.raises(RuntimeError, match="only available on CPU"):
                ForkingPickler.dumps(thing)
        assert ForkingPickler.loads(ForkingPickler.dumps(tensor.cpu())).to("flagos").tolist() == [1, 1, 1]
    finally:
        torch.multiprocessing.set_sharing_strategy(former)


def test_spawned_process_uses_the_device(run_python, tmp_path):
    (tmp_path / "worker.py").write_text(
        "import torch\n"
        "def double(source, results):\n"
        "    tensor = source.get().to('flagos:1')\n"
        "    results.put((tensor * 2).cpu())\n"
        "    results.close(); results.join_thread(); source.get()\n"  # the memory lives until the parent has it
    )
    run_python(f"""
        import sys; sys.path.insert(0, {str(tmp_path)!r})
        import torch, torch_fl, worker
        if __name__ == "__main__":
            context = torch.multiprocessing.get_context("spawn")
            source, results = context.Queue(), context.Queue()
            source.put(torch.ones(3, device="flagos").cpu())
            process = context.Process(target=worker.double, args=(source, results))
            process.start()
            assert results.get(timeout=50).tolist() == [2, 2, 2]
            source.put(None)
            process.join()
            assert process.exitcode == 0
    """)
