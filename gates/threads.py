"""Run one piece of work on several threads at once and collect what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable


def in_threads(work: Callable[[int], None], count: int = 8) -> list[str]:
    """Call `work(seed)` on `count` threads, seeds from 0. Returns one text for each thread that raised, failures included."""
    problems: list[str] = []

    def guarded(seed: int) -> None:
        try:
            work(seed)
        except BaseException as error:  # a gate's failure is no Exception
            problems.append(f"thread {seed}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=guarded, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems
