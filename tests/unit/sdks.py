"""SDKs for recon's tests: made-up ones, built here, and where real ones are found."""

from __future__ import annotations

import random
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass, replace
from pathlib import Path

from generators.declaration import parse_declaration
from generators.files import ROOT

# A CUDA-shaped API, with a prefix and handles to fill in: slot -> declaration. What follows are its bystanders.
SHAPE = {
    "GetDeviceCount": "E @GetDeviceCount(int *count)",
    "SetDevice": "E @SetDevice(int device)",
    "GetDevice": "E @GetDevice(int *device)",
    "DeviceGetStreamPriorityRange": "E @DeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)",
    "DeviceSynchronize": "E @DeviceSynchronize(void)",
    "Malloc": "E @Malloc(void **devPtr, size_t size)",
    "Free": "E @Free(void *devPtr)",
    "MallocHost": "E @MallocHost(void **ptr, size_t size)",
    "FreeHost": "E @FreeHost(void *ptr)",
    "Memcpy": "E @Memcpy(void *dst, const void *src, size_t count, K kind)",
    "MemcpyAsync": "E @MemcpyAsync(void *dst, const void *src, size_t count, K kind, S stream)",
    "PointerGetAttributes": "E @PointerGetAttributes(A *attributes, const void *ptr)",
    "Memset": "E @Memset(void *devPtr, int value, size_t count)",
    "MemsetAsync": "E @MemsetAsync(void *devPtr, int value, size_t count, S stream)",
    "StreamCreateWithPriority": "E @StreamCreateWithPriority(S *pStream, unsigned int flags, int priority)",
    "StreamCreate": "E @StreamCreate(S *pStream)",
    "StreamGetPriority": "E @StreamGetPriority(S hStream, int *priority)",
    "StreamDestroy": "E @StreamDestroy(S stream)",
    "StreamQuery": "E @StreamQuery(S stream)",
    "StreamSynchronize": "E @StreamSynchronize(S stream)",
    "StreamWaitEvent": "E @StreamWaitEvent(S stream, V event, unsigned int flags)",
    "EventCreateWithFlags": "E @EventCreateWithFlags(V *event, unsigned int flags)",
    "EventCreate": "E @EventCreate(V *event)",
    "EventDestroy": "E @EventDestroy(V event)",
    "EventRecord": "E @EventRecord(V event, S stream)",
    "EventSynchronize": "E @EventSynchronize(V event)",
    "EventQuery": "E @EventQuery(V event)",
    "EventElapsedTime": "E @EventElapsedTime(float *ms, V start, V end)",
    "get_memory_info": "E @MemGetInfo(size_t *free, size_t *total)",
}
BYSTANDERS = [
    "E @MallocAsync(void **devPtr, size_t size, S stream)",
    "E @MallocManaged(void **devPtr, size_t size, unsigned int flags)",
    "E @MallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)",
    "E @FreeAsync(void *devPtr, S stream)",
    "E @Memcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, K kind)",
    "E @MemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)",
    "E @MemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, K kind)",
    "E @StreamGetFlags(S stream, unsigned int *flags)",
    "E @StreamAddCallback(S stream, void (*callback)(S, E, void *), void *userData, unsigned int flags)",
    "E @DeviceGetAttribute(int *value, int attribute, int device)",
    "E @DeviceReset(void)",
    "E @GetLastError(void)",
    "const char *@GetErrorString(E error)",
    "E @RuntimeGetVersion(int *version)",
]


@dataclass(frozen=True)
class MadeUp:
    root: Path
    header: str
    prefix: str
    symbols: dict[str, str]  # slot -> function
    arguments: dict[str, list[str]]  # slot -> the contract's parameters in the SDK's order


def make_acme(root: Path, seed: int, named: bool = True, guarded: bool = True) -> MadeUp:
    """An SDK of the CUDA shape with a random prefix and every argument list permuted; its header is C, `guarded` by
    `extern "C"` for C++."""
    chance = random.Random(seed)
    letters = "bdfgjklmnpqrtvwxz"
    prefix = "".join(chance.choice(letters) for _ in range(chance.randint(2, 5)))
    names = {"E": f"{prefix}Error_t", "K": f"{prefix}CopyKind", "S": f"{prefix}Stream_t", "V": f"{prefix}Event_t"}
    names["A"] = f"{prefix}PointerAttributes"
    declarations, symbols, arguments = [], {}, {}
    for slot, text in [*SHAPE.items(), *(("", text) for text in BYSTANDERS)]:
        parsed = parse_declaration(text.replace("@", prefix))
        order = list(range(len(parsed.parameters)))
        chance.shuffle(order)
        formals = [str(p if named else replace(p, name="")) for p in (parsed.parameters[index] for index in order)]
        declarations.append(_fill(f"{parsed.returns} {parsed.name}({', '.join(formals) or 'void'})", names))
        if slot:
            symbols[slot] = parsed.name
            arguments[slot] = [
                CONTRACT_NAMES.get((slot, p), CONTRACT_NAMES.get(("", p), p))
                for p in (parsed.parameters[i].name for i in order)
            ]
    chance.shuffle(declarations)
    kinds = ["HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice"]
    values = chance.sample(range(8), 4)
    header = f"{prefix}_runtime.h"
    lines = [
        "#pragma once",
        "#include <stddef.h>",
        f"#define {prefix.upper()}_VERSION_MAJOR 3",
        f"#define {prefix.upper()}_VERSION_MINOR 1",
    ]
    lines.append(
        f"typedef enum {prefix}Error {{ {prefix}Success = 0, {prefix}ErrorInvalidValue = 1, {prefix}ErrorMemoryAllocation = 12, "
        f"{prefix}ErrorNoDevice = 30, {prefix}ErrorInvalidDevice = 31, {prefix}ErrorNotReady = 60 }} {prefix}Error_t;"
    )
    constants = ", ".join(f"{prefix}Copy{kind} = {value}" for kind, value in zip(kinds, values, strict=True))
    lines.append(f"typedef enum {prefix}CopyKind {{ {constants} }} {prefix}CopyKind;")
    lines += [f"typedef struct {prefix}Stream *{prefix}Stream_t;", f"typedef struct {prefix}Event *{prefix}Event_t;"]
    types = ", ".join(f"{prefix}MemoryType{name}" for name in ("Unregistered", "Host", "Device"))
    lines.append(f"enum {prefix}MemoryType {{ {types} }};")
    lines.append(
        f"typedef struct {prefix}PointerAttributes {{ enum {prefix}MemoryType type; int device; void *devicePointer; }} {prefix}PointerAttributes;"
    )
    lines += [
        f"#define {prefix}StreamNonBlocking 0x4",
        f"#define {prefix}EventDisableTiming 0x8",
        f"#define {prefix}EventDefault 0x0",
    ]
    if guarded:
        lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"{declaration};" for declaration in declarations]
    if guarded:
        lines += ["#ifdef __cplusplus", "}", "#endif"]
    (root / "include").mkdir(parents=True)
    (root / "include" / header).write_text("\n".join(lines) + "\n")
    build_library(root / "lib" / f"lib{prefix}rt.so", [parse_declaration(d).name for d in declarations])
    return MadeUp(root, header, prefix, symbols, arguments)


CONTRACT_NAMES = {
    ("", "pStream"): "stream",
    ("", "hStream"): "stream",
    ("MallocHost", "ptr"): "hostPtr",
    ("FreeHost", "ptr"): "hostPtr",
}


def _fill(text: str, names: dict[str, str]) -> str:
    return " ".join(
        (names.get(word.strip("*,();"), "") and word.replace(word.strip("*,();"), names[word.strip("*,();")])) or word
        for word in text.replace("(", "( ").split()
    ).replace("( ", "(")


def build_library(path: Path, functions: list[str], soname: str = "") -> Path:
    """A shared library that exports functions which do nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in functions))
    command = ["cc", "-shared", "-fPIC", "-w", "-ffreestanding", "-nostdlib", f"-Wl,-soname,{soname or path.name}"]
    subprocess.run([*command, "-o", str(path), str(source)], check=True, capture_output=True)
    source.unlink()
    return path


# ---- real SDKs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RealSdk:
    """Headers of a real SDK and the map that people confirmed: slot -> function, "emulation", "forward" or several."""

    name: str
    places: tuple[str, ...]  # an include directory that holds `header`
    header: str
    install: str
    truth: dict[str, str | tuple[str, ...]]
    at_least: int
    of: int = 28

    def include(self) -> Path | None:
        purelib = sysconfig.get_path("purelib")
        folders = [Path(place.format(purelib=purelib, root=ROOT)) for place in self.places]
        return next((folder for folder in folders if (folder / self.header).is_file()), None)


def has_compiler() -> bool:
    return shutil.which("cc") is not None
