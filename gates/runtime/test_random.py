"""Random numbers of flagos devices: a generator for each device, reproducible, with a state that can be kept."""

from __future__ import annotations

import pytest

from gates.status import check


@pytest.mark.gate("runtime.random.seeds")
def test_seeds_reproduce_on_every_device(device, runtime):
    """Exit criterion: `torch.manual_seed` seeds every device, used before or not; the same seed gives the same numbers,
    another one others, and numbers go on from call to call."""
    import torch

    places = [f"{device}:{index}" for index in range(runtime.device_count())]

    def draw() -> list[list[float]]:
        return [torch.rand(5, device=place).tolist() for place in places]

    torch.manual_seed(11)
    first = draw()
    check(draw() != first, "the second numbers are the first ones")
    for seed in (torch.manual_seed, torch.flagos.manual_seed_all):
        seed(11)
        check(draw() == first, f"{seed.__name__}(11) a second time gives other numbers")
    torch.manual_seed(12)
    check(draw() != first, "another seed gives the same numbers")
    torch.flagos.manual_seed(11)
    check(draw()[0] == first[0], "flagos.manual_seed(11) does not seed the current device")
    check(torch.flagos.initial_seed() == 11, "initial_seed()", expected=11, found=torch.flagos.initial_seed())


@pytest.mark.gate("runtime.random.devices", requires=["several_devices"])
def test_each_device_has_its_own_generator(device, second_device):
    """Exit criterion: drawing on one device advances its generator alone: neither another device's nor the CPU's."""
    import torch

    torch.manual_seed(5)
    on_cpu, states = torch.get_rng_state(), torch.flagos.get_rng_state_all()
    work = {
        "rand": lambda: torch.rand(4, device=f"{device}:0"),
        "dropout": lambda: torch.nn.functional.dropout(torch.ones(64, device=f"{device}:0")),
        "randperm": lambda: torch.randperm(9, device=f"{device}:0"),
        "normal_": lambda: torch.empty(3, device=f"{device}:0").normal_(),
    }
    for name, draw in work.items():
        before = torch.flagos.get_rng_state(0)
        draw()
        check(not torch.equal(torch.flagos.get_rng_state(0), before), f"{name} does not advance the device's generator")
        check(
            torch.equal(torch.flagos.get_rng_state(second_device), states[second_device]), f"{name} on another device"
        )
        check(torch.equal(torch.get_rng_state(), on_cpu), f"{name} draws from the CPU's generator")
    kept = torch.flagos.get_rng_state_all()
    check(not torch.equal(kept[0], kept[second_device]), "get_rng_state_all() gives the same state for two devices")
    numbers = torch.rand(4, device=f"{device}:0").tolist(), torch.rand(4, device=f"{device}:{second_device}").tolist()
    torch.flagos.set_rng_state_all(kept)
    again = torch.rand(4, device=f"{device}:0").tolist(), torch.rand(4, device=f"{device}:{second_device}").tolist()
    check(again == numbers, "set_rng_state_all() does not bring the numbers back", expected=numbers, found=again)


@pytest.mark.gate("runtime.random.state")
def test_states_round_trip(device, runtime):
    """Exit criterion: a state that is set again continues with the same numbers, an odd count of normal ones
    included, and fork_rng leaves the generators as they were."""
    import torch

    for draw in (
        lambda: torch.rand(3, device=device).tolist(),
        lambda: torch.randn(1, device=device, dtype=torch.float64).tolist(),
        lambda: torch.randn(1, device=device).tolist(),
    ):
        draw()
        state = torch.flagos.get_rng_state()
        first = [draw() for _ in range(3)]
        torch.flagos.set_rng_state(state)
        check([draw() for _ in range(3)] == first, "the same state gives other numbers")
    state = torch.flagos.get_rng_state()
    with torch.random.fork_rng(devices=[0], device_type=device):
        torch.rand(3, device=device)
    check(torch.equal(torch.flagos.get_rng_state(), state), "fork_rng did not restore the state")


@pytest.mark.gate("runtime.random.generator")
def test_generator_objects_are_their_own(device, runtime):
    """Exit criterion: a torch.Generator belongs to its device, is independent of the default one, is used where it is
    passed, and may be copied with its state."""
    import torch

    last = runtime.device_count() - 1
    place = f"{device}:{last}"
    torch.manual_seed(3)
    default = torch.flagos.get_rng_state(last)
    generator = torch.Generator(place).manual_seed(3)
    check(str(generator.device) == place, "Generator.device", expected=place, found=generator.device)
    first = [torch.rand(3, device=place, generator=generator).tolist() for _ in range(2)]
    check(first[0] != first[1], "numbers repeat")
    check(torch.equal(torch.flagos.get_rng_state(last), default), "a generator's numbers came from the default one")
    generator.manual_seed(3)
    torch.rand(3, device=place, generator=generator)
    twin = generator.clone_state()
    check(str(twin.device) == place, "the device of a copied generator", expected=place, found=twin.device)
    for one in (generator, twin):
        found = torch.rand(3, device=place, generator=one).tolist()
        check(found == first[1], "a generator does not continue where it was", expected=first[1], found=found)
