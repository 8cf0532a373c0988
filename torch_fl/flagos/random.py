"""Random numbers: each device has a generator of its own. Seeding loads no runtime and needs no device."""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from .. import _C  # type: ignore[attr-defined]
from .devices import Device, _index, is_available

__all__ = [
    "default_generators",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


class _DefaultGenerators(Sequence):
    """The generators that are used where none is given, by device."""

    def __len__(self) -> int:
        return _C.device_count()

    def __getitem__(self, which: Any) -> Any:
        return tuple(_C.default_generator(index) for index in range(len(self)))[which]


default_generators = _DefaultGenerators()


def _generator(device: Device) -> torch.Generator:
    return _C.default_generator(_index(device))


def manual_seed(seed: int) -> None:
    """Seed the current device; without a device there is nothing to seed."""
    if is_available():
        _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed all devices. Loads no runtime, like `torch.manual_seed`, which calls this."""
    _C.seed_all_devices(int(seed) & 0xFFFF_FFFF_FFFF_FFFF)


def seed() -> None:
    """Seed the current device with a number that nobody can foretell."""
    if is_available():
        _generator(None).seed()


def seed_all() -> None:
    """Seed all devices with one number that nobody can foretell."""
    manual_seed_all(secrets.randbits(64))


def initial_seed() -> int:
    """What the current device was seeded with last."""
    return _generator(None).initial_seed()


def get_rng_state(device: Device = None) -> torch.Tensor:
    return _generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state(index) for index in range(_C.device_count())]


def set_rng_state(new_state: torch.Tensor, device: Device = None) -> None:
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
