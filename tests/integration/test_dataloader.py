"""Loading data: pinned batches, copies that do not wait, workers that are forked or spawned."""

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

import torch_fl

DATA = TensorDataset(torch.arange(24.0).reshape(12, 2), torch.arange(12))


@pytest.mark.parametrize("pin", [True, False], ids=["pinned", "pageable"])
def test_batches_arrive_while_the_device_works(pin):
    seen = []
    for x, y in DataLoader(DATA, batch_size=5, pin_memory=pin):
        assert x.is_pinned() == y.is_pinned() == pin
        x, y = x.to("flagos:1", non_blocking=True), y.to("flagos:1", non_blocking=True)
        del x
        seen.append(y)
    assert torch.cat(seen).tolist() == list(range(12))


def test_nested_batches_are_pinned():
    class Nested(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return {"x": torch.full((2,), float(i)), "more": (torch.tensor(i), "name")}

    batch = next(iter(DataLoader(Nested(), batch_size=4, pin_memory=True)))
    assert batch["x"].is_pinned() and batch["more"][0].is_pinned() and list(batch["more"][1]) == ["name"] * 4


def test_what_can_be_pinned():
    assert torch.empty(3, pin_memory=True).is_pinned() and torch.ones(4)[1:].pin_memory().is_pinned()
    assert torch.ones(4).pin_memory()[2:].is_pinned() and not torch.ones(4).pin_memory().clone().is_pinned()
    assert torch.empty(0).pin_memory().numel() == 0
    with pytest.raises(RuntimeError, match="dense CPU tensors can be pinned"):
        torch.ones(2, device="flagos").pin_memory()
    pinned = torch.ones(2).pin_memory()
    assert pinned.pin_memory().data_ptr() == pinned.data_ptr()


def test_dataset_on_the_device():
    dataset = TensorDataset(torch.arange(6.0, device="flagos"))
    batches = [batch for (batch,) in DataLoader(dataset, batch_size=4)]
    assert [b.device for b in batches] == [torch.device("flagos:0")] * 2
    assert torch.cat(batches).tolist() == [0, 1, 2, 3, 4, 5]


def test_generator_of_the_device_shuffles_device_samples():
    order = [
        torch.randperm(8, generator=torch.Generator("flagos").manual_seed(1), device="flagos").tolist() for _ in "ab"
    ]
    assert order[0] == order[1] != list(range(8))


WORKERS = """
import sys, torch, torch_fl
sys.path.insert(0, {folder!r})
import samples
if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(samples.Samples({use!r}), batch_size=2, num_workers=2, pin_memory=True,
                                         persistent_workers=True, multiprocessing_context={method!r})
    model = torch.nn.Linear(1, 1, device="flagos")  # the device is in use before the workers start
    for epoch in range(2):
        seen = []
        for batch in loader:
            assert batch.is_pinned()
            model(batch.to("flagos", non_blocking=True)).sum().backward()
            seen += batch.flatten().tolist()
        assert sorted(seen) == [0, 1, 2, 3], seen
    del batch, loader  # ends PyTorch's pinning thread: Python that ends under a thread of C++ may abort, with any device
"""
SAMPLES = """
import torch
class Samples(torch.utils.data.Dataset):
    def __init__(self, use): self.use = use
    def __len__(self): return 4
    def __getitem__(self, i):
        sample = torch.tensor([float(i)])
        return (sample.to("flagos:1") * 1).cpu() if self.use else sample
"""


@pytest.mark.parametrize(
    ("method", "use", "status"),
    [("fork", False, 0), ("spawn", True, 0), ("fork", True, 1)],
    ids=["forked", "spawned and using the device", "forked and using the device"],
)
def test_workers(run_python, tmp_path, method, use, status):
    (tmp_path / "samples.py").write_text(SAMPLES)
    done = run_python(WORKERS.format(folder=str(tmp_path), method=method, use=use), status=status)
    if status:
        assert "Start the process with the 'spawn' method" in done.stderr


def test_non_blocking_copy_is_ordered_with_its_stream():
    pinned = torch.arange(1 << 16, dtype=torch.float32).pin_memory()
    stream = torch_fl.Stream()
    with stream:
        there = pinned.to("flagos", non_blocking=True)
        back = torch.empty_like(pinned, pin_memory=True)
        back.copy_(there * 2, non_blocking=True)
    stream.synchronize()
    assert torch.equal(back, pinned * 2)
