"""A library that works, for a made-up SDK of the CUDA shape (tests.unit.sdks): over the simulated chip."""

from __future__ import annotations

import subprocess
from pathlib import Path

from generators.declaration import Declaration, parse_declaration
from generators.files import ROOT
from tests.sdks.build import sdk
from tests.unit.sdks import BYSTANDERS, SHAPE, MadeUp

# What the SDK's numbers mean to the chip; @ is the prefix. Kinds have other numbers than the contract's, by chance.
PREAMBLE = """
#include <cstdlib>
#include <map>
#include <mutex>
#include "chip.h"
#include "simulated.h"
extern "C" {
#include "{header}"
}
static thread_local @Error_t last_error = @Success;
static @Error_t of(Error_t error) {
  int count = 0;
  switch (error) {
    case Success: return @Success;
    case ErrorNotReady: last_error = @ErrorNotReady; break;
    case ErrorMemoryAllocation: last_error = @ErrorMemoryAllocation; break;
    case ErrorInvalidDevice:
      chip().GetDeviceCount(&count);
      last_error = count == 0 ? @ErrorNoDevice : @ErrorInvalidDevice;
      break;
    case ErrorUnknown: last_error = @ErrorInvalidValue; break;
  }
  return last_error;
}
static MemcpyKind of(@CopyKind kind) {
  switch (kind) {
    case @CopyHostToHost: return MemcpyHostToHost;
    case @CopyHostToDevice: return MemcpyHostToDevice;
    case @CopyDeviceToHost: return MemcpyDeviceToHost;
    case @CopyDeviceToDevice: return MemcpyDeviceToDevice;
  }
  std::abort();
}
static Stream_t of(@Stream_t stream) { return reinterpret_cast<Stream_t>(stream); }
static Stream_t* of(@Stream_t* stream) { return reinterpret_cast<Stream_t*>(stream); }
static Event_t of(@Event_t event) { return reinterpret_cast<Event_t>(event); }
static Event_t* of(@Event_t* event) { return reinterpret_cast<Event_t*>(event); }

// The SDK's pool, behind @MallocAsync and @FreeAsync: what is freed stays, for the next request of its size.
struct Pool {
  using Key = std::pair<int, size_t>;  // device, size
  std::mutex mutex;
  std::multimap<Key, void*> kept;
  std::map<void*, Key> live;

  Error_t allocate(void** block, size_t size) {
    const std::lock_guard<std::mutex> lock(mutex);
    int device = 0;
    if (const Error_t error = chip().GetDevice(&device); error != Success) return error;
    if (const auto found = kept.find({device, size}); found != kept.end()) {
      *block = found->second;
      kept.erase(found);
    } else {
      Error_t error = chip().Malloc(block, size);
      if (error == ErrorMemoryAllocation) {
        for (const auto& [key, idle] : kept) chip().Free(idle);
        kept.clear();
        error = chip().Malloc(block, size);
      }
      if (error != Success) return error;
    }
    live[*block] = {device, size};
    return Success;
  }

  Error_t release(void* block) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = live.find(block);
    if (found == live.end()) return ErrorUnknown;
    kept.emplace(found->second, block);
    live.erase(found);
    return Success;
  }
};
static Pool& pool() {
  static Pool* const kept = new Pool;
  return *kept;
}
"""
ARGUMENTS = {"S": "of({})", "S *": "of({})", "V": "of({})", "V *": "of({})", "K": "of({})"}
BODIES = {  # where it is more than a call of the chip's function
    "PointerGetAttributes": """
  PointerAttributes known{};
  const Error_t error = attributes == nullptr ? ErrorUnknown : chip().PointerGetAttributes(&known, ptr);
  if (error == Success) *attributes = {static_cast<@MemoryType>(known.type), known.device, known.pointer};
  return of(error);""",
    "StreamCreateWithPriority": """
  if (flags != @StreamNonBlocking) std::abort();
  return of(chip().StreamCreateWithPriority(of(pStream), StreamDefault, priority));""",
    "EventCreateWithFlags": """
  if (flags != @EventDisableTiming && flags != @EventDefault) std::abort();
  return of(chip().EventCreateWithFlags(of(event), flags == @EventDefault ? EventEnableTiming : EventDisableTiming));""",
    "get_memory_info": "return of(chip().memory_info(free, total));",
    "MallocAsync": "return of(pool().allocate(devPtr, size));",
    "FreeAsync": "return of(pool().release(devPtr));",
    "GetLastError": "const @Error_t error = last_error; last_error = @Success; return error;",
    "GetErrorString": 'return error == @Success ? "success" : "the chip refused";',
}

UNCACHED = {"MallocAsync": "return of(chip().Malloc(devPtr, size));", "FreeAsync": "return of(chip().Free(devPtr));"}


def build_working_library(acme: MadeUp, caches: bool = True) -> None:
    """Replace the SDK's library, whose functions do nothing, by one that works. `caches`: its pool keeps what is freed."""
    declared = {}
    for line in (acme.root / "include" / acme.header).read_text().splitlines():
        if "(" in line and line.endswith(";"):
            declaration = parse_declaration(line)
            declared[declaration.name] = declaration
    bodies, written = {}, BODIES if caches else BODIES | UNCACHED
    for slot, text in [*SHAPE.items(), *(("", text) for text in BYSTANDERS)]:
        shape = parse_declaration(text.replace("@", acme.prefix))
        name = slot or shape.name.removeprefix(acme.prefix)
        bodies[shape.name] = written.get(name) or (_call(slot, shape) if slot else "std::abort();")
    definitions = [f'extern "C" {declared[name]} {{ {body} }}' for name, body in bodies.items()]
    source = "\n".join([PREAMBLE, *definitions]).replace("{header}", acme.header).replace("@", acme.prefix)
    _compile(source, acme, next((acme.root / "lib").glob("*.so")))


def _call(slot: str, shape: Declaration) -> str:
    arguments = [ARGUMENTS.get(p.type, "{}").format(p.name) for p in shape.parameters]
    return f"return of(chip().{slot}({', '.join(arguments)}));"


def _compile(source: str, acme: MadeUp, library: Path) -> None:
    chip, sources = sdk("xre_sim") / "chip", ROOT / "tests/sdks"
    include = [acme.root / "include", sources, sources / "chip", ROOT / "csrc/include", ROOT / "csrc/runtime"]
    command = ["c++", "-std=c++17", "-shared", "-fPIC", "-O1", *(f"-I{folder}" for folder in include), "-x", "c++", "-"]
    command += [
        "-o",
        str(library),
        f"-Wl,-soname,{library.name}",
        f"-L{chip}",
        f"-Wl,-rpath,{chip}",
        "-lsimulated_chip",
    ]
    child = subprocess.run(command, input=source, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr[-3000:]
