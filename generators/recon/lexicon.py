"""What runtime APIs call things, of whatever vendor: words, and which of them make a slot.

Nothing here names a vendor. A word that one SDK uses belongs here only if another could use it in the same sense.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# word -> the concepts that it may stand for
WORDS: dict[str, tuple[str, ...]] = {
    word: tuple(concepts.split())
    for concepts, words in {
        "alloc": "alloc allocate allocation malloc memalloc",
        "end": "free dealloc deallocate release destroy delete close",
        "make": "create make new open",
        "copy": "copy memcpy memcopy cpy transfer",
        "fill": "fill memset",
        "async": "async asynchronous enqueue append",
        "host": "host pinned page locked",
        "device": "device dev devices",
        "stream": "stream queue",
        "event": "event notifier",
        "event record": "marker",
        "sync": "sync synchronize synchronise finish drain join",
        "sync wait": "wait",
        "wait": "barrier",
        "query": "query poll test ready",
        "query error": "status",
        "query attribute": "info",
        "record": "record place signal",
        "elapsed": "elapsed duration profiling",
        "time": "time",
        "priority": "priority prio",
        "range": "range limits",
        "get": "get current",
        "set": "set use select switch",
        "count": "count num number ids",
        "pointer": "pointer ptr address addr",
        "attribute": "attributes attrs attribute attr",
        "attribute flags": "properties props",
        "flags": "flags flag config ex",
        "mem": "mem memory",
        "version": "version",
        "success": "success ok",
        "error": "error err",
        "text": "string str text message msg describe strerror",
    }.items()
    for word in words.split()
}

# Words that name a parameter of the contract.
PARAMETER_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "dst": "dst dest destination to target",
        "src": "src source from",
        "size": "size bytes sz len length nbytes count",
        "count": "count size bytes sz len length num number nbytes",
        "kind": "kind dir direction",
        "stream": "stream queue command",
        "event": "event notifier",
        "start": "start begin first",
        "end": "end stop finish second last",
        "ms": "ms msec milliseconds time elapsed",
        "leastPriority": "least low lowest min",
        "greatestPriority": "greatest high highest max",
        "free": "free avail available",
        "total": "total all installed",
        "flags": "flag flags",
        "priority": "priority prio",
        "value": "value val byte pattern",
        "device": "device dev id index ordinal",
        "attributes": "attributes attrs attribute attr properties",
        "ptr": "ptr pointer address",
        "devPtr": "dev device ptr pointer",
        "hostPtr": "host ptr pointer",
    }.items()
}
LIMIT = frozenset("max limit capacity dest destination".split())  # a size that only bounds another
BLOCKING = frozenset("blocking block".split())
AMOUNT = frozenset("num number count size len length".split())  # an integer so named is no flag, priority or value

MEMORY_INFO = "get_memory_info"


@dataclass(frozen=True)
class Sense:
    """What a slot's function is called: each concept of `needs` once, those of `may` at will, any other word counts
    against it."""

    needs: tuple[str, ...]
    may: tuple[str, ...] = ()


SENSES: dict[str, Sense] = {
    "GetDeviceCount": Sense(("device", "count"), ("get",)),
    "SetDevice": Sense(("device", "set")),
    "GetDevice": Sense(("device", "get"), ("get",)),
    "DeviceGetStreamPriorityRange": Sense(("stream", "priority", "range"), ("get", "device")),
    "DeviceSynchronize": Sense(("device", "sync")),
    "Malloc": Sense(("alloc",), ("mem", "device")),
    "Free": Sense(("end",), ("mem", "device")),
    "MallocHost": Sense(("alloc", "host"), ("mem",)),
    "FreeHost": Sense(("end", "host"), ("mem",)),
    "Memcpy": Sense(("copy",), ("mem",)),
    "MemcpyAsync": Sense(("copy", "async"), ("mem",)),
    "PointerGetAttributes": Sense(("pointer", "attribute"), ("get", "mem")),
    "Memset": Sense(("fill",), ("mem",)),
    "MemsetAsync": Sense(("fill", "async"), ("mem",)),
    "StreamCreateWithPriority": Sense(("stream", "make", "priority"), ("flags",)),
    "StreamCreate": Sense(("stream", "make"), ("attribute",)),
    "StreamGetPriority": Sense(("stream", "priority"), ("get",)),
    "StreamDestroy": Sense(("stream", "end")),
    "StreamQuery": Sense(("stream", "query"), ("get",)),
    "StreamSynchronize": Sense(("stream", "sync")),
    "StreamWaitEvent": Sense(("stream", "wait", "event"), ("async",)),
    "EventCreateWithFlags": Sense(("event", "make", "flags")),
    "EventCreate": Sense(("event", "make")),
    "EventDestroy": Sense(("event", "end")),
    "EventRecord": Sense(("event", "record"), ("async",)),
    "EventSynchronize": Sense(("event", "sync")),
    "EventQuery": Sense(("event", "query"), ("get",)),
    "EventElapsedTime": Sense(("event", "elapsed"), ("time", "get")),
    MEMORY_INFO: Sense(("mem", "attribute"), ("get", "device")),
}
IGNORED = frozenset("with the a of by for api rt in on to list s v".split())
# A slot's function may serve a second one, where the SDK has one function for both.
SHARED = {
    "Memcpy": "MemcpyAsync",
    "MemcpyAsync": "Memcpy",
    "Memset": "MemsetAsync",
    "MemsetAsync": "Memset",
    "FreeHost": "Free",
    "MallocHost": "Malloc",
    "StreamCreate": "StreamCreateWithPriority",
}

# Which words of a status code's name mean which error: every word of a set, and no other but IN_CODES.
CODES: tuple[tuple[str, str], ...] = tuple(
    (error, words)
    for error, names in {
        "ErrorMemoryAllocation": (
            "memory allocation, out of memory, oom, device oom, no mem, nomem, bad alloc, no memory, out of device memory, "
            "out of host memory, nocpumem, sys no mem, mem object allocation failure, alloc failed, memory alloc"
        ),
        "ErrorNotReady": "not ready, notready, stream not complete, event not complete, not complete",
        "ErrorInvalidDevice": (
            "invalid device, device invalid, no device, nodevice, nodev, no dev, device not found, invalid deviceid, "
            "invalid device id, invalid dev"
        ),
    }.items()
    for words in names.split(", ")
)
NO_DEVICE = ("no device", "nodevice", "nodev", "no dev", "device not found")
IN_CODES = frozenset("error err rt result code status return ret e".split())

# Directions of a copy: the words of a constant's name, with digits as words of their own ("H2D", "HOST2DEV").
HOST, DEVICE = frozenset({"host", "h", "cpu"}), frozenset({"device", "dev", "d"})

# Words of the constant that a flag of the contract is for, the first that an SDK has.
FLAG_WORDS: dict[str, tuple[str, ...]] = {
    "StreamDefault": ("stream non blocking", "stream nonblocking", "stream default"),
    "EventDisableTiming": (
        "event disable timing all",
        "event disable timing",
        "event no timing",
        "event sync",
        "event default",
    ),
    "EventEnableTiming": ("event enable timing", "event time line", "event timing", "event default"),
    "WaitDefault": ("event wait default", "wait default"),
}
MEMORY_TYPE_WORDS: dict[str, tuple[str, ...]] = {
    "Unmanaged": ("unregistered", "unknown"),
    "Host": ("host",),
    "Device": ("device", "managed", "unified"),
}
READY, PENDING = (
    frozenset("complete completed ready done finished recorded".split()),
    frozenset("running queued submitted pending busy".split()),
)


def words_of(name: str) -> list[str]:
    """The words of an identifier, in lower case: at underscores, humps and digits."""
    name = re.sub(r"IDs\b", "Ids", name)
    name = re.sub(r"(?i)_?with_?wait_?list$", "", name)  # says how it is called, not what it does
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", name)
    return [part.lower() for part in parts]


def concepts_of(word: str) -> tuple[str, ...]:
    return WORDS.get(word, ())
