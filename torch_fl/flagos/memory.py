"""Memory of the devices: what is in use, what is cached, what is free. A device that is not there has no statistics."""

from torch.accelerator.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)

from .. import _C  # type: ignore[attr-defined]
from .devices import Device, _index

__all__ = [
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
]


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Bytes of the device: free, and installed."""
    return _C.memory_info(_index(device))


_ROWS = {
    "allocated memory": "allocated_bytes",
    "active memory": "active_bytes",
    "requested memory": "requested_bytes",
    "reserved memory": "reserved_bytes",
    "free parts of segments in use": "inactive_split_bytes",
    "allocations": "allocation",
    "active blocks": "active",
    "segments": "segment",
    "free parts": "inactive_split",
}


def _bytes(count: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 10240:
            return f"{count} {unit}"
        count >>= 10
    return f"{count} TiB"


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """A table of `memory_stats`, for people; abbreviated, without the rows of the two pools."""
    if device is None and _C.device_count() == 0:
        return "no flagos device"
    index = _index(device)
    stats = memory_stats(index)
    pools = ["all"] if abbreviated else ["all", "large_pool", "small_pool"]
    lines = [
        f"memory of flagos:{index}; requests that failed: {stats.get('num_ooms', 0)}, "
        f"that needed the cache emptied: {stats.get('num_alloc_retries', 0)}",
        f"{'':36}{'now':>12}{'peak':>12}{'added':>12}{'removed':>12}",
    ]
    for title, key in _ROWS.items():
        show = _bytes if key.endswith("bytes") else str
        for pool in pools:
            name = title if pool == "all" else f"  {pool.replace('_', ' ')}"
            counts = (stats.get(f"{key}.{pool}.{what}", 0) for what in ("current", "peak", "allocated", "freed"))
            lines.append(f"{name:36}" + "".join(f"{show(count):>12}" for count in counts))
    return "\n".join(lines)
