"""Random numbers of the device: whatever draws them, they are those of its generators."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional

from gates.cuda_compat.routed import DEVICE
from gates.status import check
from torch_fl import flagos

COUNT = 100

Draw = Callable[..., torch.Tensor]  # with a generator, or none for the default one

DRAWS: dict[str, Draw] = {
    "rand": lambda **given: torch.rand(COUNT, device=DEVICE, **given),
    "randn": lambda **given: torch.randn(COUNT, device=DEVICE, **given),
    "randint": lambda **given: torch.randint(1000, (COUNT,), device=DEVICE, **given),
    "randperm": lambda **given: torch.randperm(COUNT, device=DEVICE, **given),
    "bernoulli_": lambda **given: torch.empty(COUNT, device=DEVICE).bernoulli_(**given),
    "normal_": lambda **given: torch.empty(COUNT, device=DEVICE).normal_(**given),
    "exponential_": lambda **given: torch.empty(COUNT, device=DEVICE).exponential_(**given),
    "multinomial": lambda **given: torch.ones(COUNT, device=DEVICE).multinomial(COUNT // 2, **given),
}
OF_DEFAULT: dict[str, Draw] = {
    "dropout": lambda: functional.dropout(torch.ones(COUNT, device=DEVICE)),
    "rand_like": lambda: torch.rand_like(torch.ones(COUNT, device=DEVICE)),
}


def generators_govern() -> list[str]:
    """Seeds and states of the device's generators govern every draw. Returns what was drawn."""
    torch.manual_seed(7)  # before the device is used
    first = {name: draw().tolist() for name, draw in (DRAWS | OF_DEFAULT).items()}
    torch.manual_seed(7)
    for name, draw in (DRAWS | OF_DEFAULT).items():
        check(draw().tolist() == first[name], f"{name}: torch.manual_seed(7) a second time gives other numbers")
    for name, draw in (DRAWS | OF_DEFAULT).items():
        _default_generator_governs(name, draw)
    for name, draw in DRAWS.items():
        _given_generator_governs(name, draw)
    return [*DRAWS, *OF_DEFAULT]


def _default_generator_governs(name: str, draw: Draw) -> None:
    flagos.manual_seed(3)
    first, second = draw().tolist(), draw().tolist()
    check(first != second, f"{name}: the second numbers are the first ones")
    flagos.manual_seed(3)
    check(draw().tolist() == first, f"{name}: the same seed gives other numbers")
    flagos.manual_seed(4)
    check(draw().tolist() != first, f"{name}: another seed gives the same numbers")
    state = flagos.get_rng_state()
    following = [draw().tolist() for _ in range(2)]
    check(not torch.equal(flagos.get_rng_state(), state), f"{name}: the state does not tell that numbers were drawn")
    flagos.set_rng_state(state)
    check([draw().tolist() for _ in range(2)] == following, f"{name}: the saved state gives other numbers")


def _given_generator_governs(name: str, draw: Draw) -> None:
    untouched = flagos.get_rng_state()
    generator = torch.Generator(DEVICE).manual_seed(3)
    first = draw(generator=generator).tolist()
    state = generator.get_state()
    second = draw(generator=generator).tolist()
    check(first != second, f"{name}: the given generator gives the same numbers twice")
    check(draw(generator=torch.Generator(DEVICE).manual_seed(3)).tolist() == first, f"{name}: a generator of that seed")
    check(draw(generator=torch.Generator(DEVICE).manual_seed(4)).tolist() != first, f"{name}: one of another seed")
    generator.set_state(state)
    check(draw(generator=generator).tolist() == second, f"{name}: the generator's saved state gives other numbers")
    check(torch.equal(flagos.get_rng_state(), untouched), f"{name} draws from the default generator, not the given one")
