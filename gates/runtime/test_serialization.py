"""What is saved, pickled or copied keeps its device, its index and its bytes."""

from __future__ import annotations

import pytest

from gates.status import check


@pytest.mark.gate("runtime.serialization.save_load", requires=["several_devices"])
def test_a_loaded_tensor_is_where_it_was(device, second_device):
    """Exit criterion: torch.load puts a tensor on the device and index that it was saved from, whatever device is current,
    with the storage where the tensor is; map_location moves it; views still share one storage."""
    import io

    import torch

    base = torch.arange(12, device=f"{device}:{second_device}")
    grown = torch.empty(0, dtype=torch.int64, device=f"{device}:{second_device}").resize_(3).fill_(7)
    saved = {"base": base, "view": base[4:], "grown": grown, "here": torch.ones(2, device=f"{device}:0")}
    file = io.BytesIO()
    torch.save(saved, file)

    def load(**options):
        file.seek(0)
        return torch.load(file, weights_only=True, **options)

    for current in (0, second_device):
        with torch.accelerator.device_index(current):
            loaded = load()
        for name, tensor in saved.items():
            found = loaded[name]
            places = {str(found.device), str(found.untyped_storage().device)}
            check(places == {str(tensor.device)}, f"{name} was loaded elsewhere", expected=tensor.device, found=places)
            check(torch.equal(found.cpu(), tensor.cpu()), f"{name} has other bytes")
        loaded["base"].fill_(3)
        check(bool((loaded["view"].cpu() == 3).all()), "a view and its base no longer share memory")
    for where in ("cpu", f"{device}:0", {f"{device}:{second_device}": f"{device}:0"}):
        expected = "cpu" if where == "cpu" else f"{device}:0"
        found = load(map_location=where)["base"]
        check(str(found.device) == expected, f"map_location={where}", expected=expected, found=found.device)
        check(torch.equal(found.cpu(), base.cpu()), f"map_location={where}: other bytes")


@pytest.mark.gate("runtime.serialization.copies", requires=["several_devices"])
def test_copies_of_objects_keep_the_device(device, second_device):
    """Exit criterion: deepcopy and pickle give tensors and modules of the same device with memory of their own."""
    import copy
    import pickle

    import torch

    place = f"{device}:{second_device}"
    tensor = torch.arange(6.0, device=place)
    for name, twin in {
        "deepcopy": copy.deepcopy(tensor),
        "pickle": pickle.loads(pickle.dumps(tensor)),
        "a module": copy.deepcopy(torch.nn.ParameterList([torch.nn.Parameter(tensor)]))[0].detach(),
        "storage": torch.empty(0, device=place).set_(tensor.untyped_storage().clone(), 0, (6,)),
    }.items():
        places = {str(twin.device), str(twin.untyped_storage().device)}
        check(places == {place}, f"{name} is elsewhere", expected=place, found=places)
        check(torch.equal(twin.cpu(), tensor.cpu()), f"{name} has other bytes")
        check(twin.data_ptr() != tensor.data_ptr(), f"{name} shares memory")
