"""What a build or an import that failed says: every kernel of the wrong type at once, and other ends told apart."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from generators.aten import AtenError

OURS = "PrivateUse1"  # in the name of the dispatch key of each of our kernels
STACK = 1 << 30  # a child's limit: a process that overflows it has that much memory, and no import has
LIST = r"c10::(?:ArrayRef<at::Tensor>|IListRef<at::Tensor> const&)"

MISMATCH = re.compile(
    r"Mismatch in kernel C\+\+ signatures\n"
    r"\s*operator: aten::(?P<operator>[^\s(]+).*\n(?:\s*registered at .*\n)?"
    r"\s*kernel 1: (?P<type1>.*)\n\s*dispatch key: (?P<key1>.*)\n\s*registered at (?P<place1>.*)\n"
    r"\s*kernel 2: (?P<type2>.*)\n\s*dispatch key: (?P<key2>.*)\n\s*registered at (?P<place2>.*)"
)


@dataclass(frozen=True)
class WrongType:
    """An operator whose kernel has not the type that PyTorch wants."""

    operator: str
    given: str
    expected: str
    spelling: str  # of its list, which would make it right; empty where something else is wrong
    keys: tuple[str, str] = ("", "")  # dispatch keys of our kernel and of the one that it disagrees with

    def __str__(self) -> str:
        return self.operator


@dataclass(frozen=True)
class Ending:
    """How a process ended."""

    kind: str  # "clean", "mismatch", "stack overflow", "undefined symbol", "ABI", …
    detail: str = ""
    advice: str = ""
    wrong: tuple[WrongType, ...] = ()


def read_mismatches(text: str) -> list[WrongType]:
    """Every mismatch that PyTorch reports in a text, in its order, each operator once."""
    found: dict[str, WrongType] = {}
    for match in MISMATCH.finditer(text):
        kernels = [(match[f"key{n}"].strip(), match[f"type{n}"].strip()) for n in (1, 2)]
        if OURS in kernels[0][0]:  # whoever registers second meets the message
            kernels.reverse()
        (their_key, expected), (our_key, given) = kernels
        only_lists_differ = re.sub(LIST, "list", expected) == re.sub(LIST, "list", given)
        spelling = ("IListRef" if "c10::IListRef<" in expected else "ArrayRef") if only_lists_differ else ""
        operator = match["operator"]
        found.setdefault(operator, WrongType(operator, given, expected, spelling, (our_key, their_key)))
    return list(found.values())


# What a text means, most telling first: kind, pattern, advice.
MEANINGS = [
    (
        "stack overflow",
        r"AddressSanitizer: stack-overflow|RecursionError|Cannot recover from stack overflow",
        "a kernel calls the operator that it implements: its arguments or its device still lead to flagos "
        "(a factory, say); find the repeated frames with: gdb -ex run -ex bt --args python -c 'import torch_fl'",
    ),
    (
        "wrong signature at the call",
        r"Tried to access or call an operator with a wrong signature",
        "a kernel was registered through the slot without SymInt, which the dispatcher does not compare; give it the type "
        "at::_ops::<operator>::schema",
    ),
    (
        "ABI",
        r"undefined symbol: \S*(?:NSt7__cxx1112basic_string|\bSs\b)\S*|version `(?:GLIBCXX|CXXABI|GLIBC)_[^']*' not found",
        "the library and this torch were built with another C++ ABI or standard library; build with the compiler, and the "
        "value of torch.compiled_with_cxx11_abi(), of this torch: rm -r build/torch && make build",
    ),
    (
        "undefined symbol",
        r"undefined symbol: \S+",
        "the library was built against another torch than the one that is imported; rebuild it: rm -r build/torch && "
        "make build",
    ),
    (
        "library not found",
        r"(\S+): cannot open shared object file",
        "a library that ours is linked with is not installed here; `ldd torch_fl/lib/libtorch_fl.so` names it",
    ),
]


def read_ending(text: str, status: int, peak: int = 0) -> Ending:
    """What the output of a process, its exit status and the most memory that it had (bytes) say of its end."""
    if wrong := read_mismatches(text):
        names = ", ".join(fault.operator for fault in wrong[:8])
        advice = "pytest -m version_port --fix spells them as PyTorch does"
        return Ending("mismatch", f"{len(wrong)} kernels of the wrong type: {names}", advice, tuple(wrong))
    if status == 0:
        return Ending("clean")
    for kind, pattern, advice in MEANINGS:
        if found := re.search(pattern, text):
            line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
            return Ending(kind, line.strip(), advice)
    if status == -signal.SIGSEGV and peak > STACK:
        _, _, advice = MEANINGS[0]
        return Ending("stack overflow", f"it filled its stack of {STACK >> 20} MiB", advice)
    if status < 0:
        advice = "run it under gdb: gdb -ex run -ex bt --args python -X faulthandler -c 'import torch_fl'"
        return Ending("crash", f"died by {signal.Signals(-status).name}", advice)
    lines = text.strip().splitlines()
    return Ending("error", lines[-1] if lines else f"exit status {status}", "the whole output is above")


def wrong_types_of_import(command: Sequence[str], environment: dict[str, str]) -> Sequence[WrongType]:
    """Run a command that imports torch_fl: every kernel of the wrong type that its registration reports, none if it is
    clean. Raises AtenError, with advice, for an end that no spelling mends."""
    ending, text = run_to_end(command, environment)
    if ending.kind in ("clean", "mismatch"):
        return ending.wrong
    last = [f"    {line}" for line in text.strip().splitlines()[-8:]]
    words = [f"{ending.kind}: {ending.detail}", "  last output of the process:", *last, f"  likely    {ending.advice}"]
    raise AtenError("\n".join(words))


def run_to_end(command: Sequence[str], environment: dict[str, str], seconds: float = 120) -> tuple[Ending, str]:
    """Run a command that may crash: how it ended, and what it printed."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, env=environment, preexec_fn=_limit_stack)
        timer = threading.Timer(seconds, lambda: os.kill(child.pid, signal.SIGALRM))
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if child.returncode == -signal.SIGALRM:
        return Ending("timed out", f"still running after {seconds:g} s", "does it wait for a device or a lock?"), text
    return read_ending(text, child.returncode, usage.ru_maxrss * 1024), text


def _limit_stack() -> None:
    """In the child: a stack of a known size, if that is allowed, and no core file of that size."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (STACK if hard == resource.RLIM_INFINITY else min(STACK, hard), hard))
