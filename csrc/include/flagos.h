// SPDX-License-Identifier: Apache-2.0
//
// The runtime contract of flagos: 28 functions that a vendor's runtime library, libflagos_<vendor>.so, implements in
// device.cc (5), memory.cc (9) and stream.cc (14). The library links the vendor's SDK and never torch.
//
// This header is the one list of the 28; tables, bindings, gates and documents are derived from it by
// `generators.contract`. It is valid C11 and C++17.
//
// Rules that hold for every function
//   Result    Success, or one of the four errors. A function that did not do its work never returns Success.
//             A failed call leaves the runtime usable and its outputs unwritten.
//   Errors    Misuse (a null output, a foreign pointer, an unknown kind or flag, a destroyed handle that can be
//             recognised) is ErrorUnknown with a text in GetLastErrorText(); a device index outside
//             [0, count) is ErrorInvalidDevice.
//   Flags     Flags and kinds are this header's; a runtime translates them and rejects values it does not know.
//   Device    Functions without a stream act on the calling thread's current device, which is 0 in a new thread.
//   Streams   Work on one stream runs in order. Streams have no order among each other except through events: no
//             created stream synchronises implicitly with the default stream. A null Stream_t means the default
//             stream of the current device.
//   Threads   Every function may be called from any thread at any time. Handles may be used from any thread, but
//             destroying a handle or freeing memory must not race with another call that uses it.
//   Fork      After fork() in a process that used the runtime, calls in the child fail with ErrorUnknown.
#pragma once

#include <stddef.h>

#if defined(__GNUC__)
#define FLAGOS_EXPORT __attribute__((visibility("default")))
#else
#define FLAGOS_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Error_t {
  Success = 0,
  ErrorUnknown = 1,           // anything not named below; GetLastErrorText() says what
  ErrorNotReady = 2,          // the work asked about has not finished: not a failure
  ErrorInvalidDevice = 3,     // a device index outside [0, count)
  ErrorMemoryAllocation = 4,  // out of memory: the caller may free something and try again
} Error_t;

typedef enum MemcpyKind {
  MemcpyHostToHost = 0,
  MemcpyHostToDevice = 1,
  MemcpyDeviceToHost = 2,
  MemcpyDeviceToDevice = 3,  // within one device, or between two devices of this runtime
} MemcpyKind;

typedef enum MemoryType {
  MemoryTypeUnmanaged = 0,  // unknown to the runtime: pageable host memory, or already freed
  MemoryTypeHost = 1,       // pinned host memory from MallocHost
  MemoryTypeDevice = 2,     // device memory from Malloc
} MemoryType;

typedef struct PointerAttributes {
  MemoryType type;
  int device;     // index of the owning device; for pinned memory the device current at MallocHost; -1 if unmanaged
  void* pointer;  // the address that was asked about, as the device sees it; NULL if unmanaged
} PointerAttributes;

typedef enum StreamFlags {
  StreamDefault = 0x0,  // the only kind there is
} StreamFlags;

typedef enum EventFlags {
  EventDisableTiming = 0x0,
  EventEnableTiming = 0x1,
} EventFlags;

typedef enum WaitFlags {
  WaitDefault = 0x0,  // the only kind there is
} WaitFlags;

// Opaque handles, owned by the runtime: made by Create functions, released by Destroy functions. A handle belongs to
// the device that was current when it was made.
typedef struct Stream* Stream_t;
typedef struct Event* Event_t;

// ---- device.cc: 5 -------------------------------------------------------------------------------

// Number of usable devices. No device, or no driver, is Success and 0; a driver that is there and fails is
// ErrorUnknown.
FLAGOS_EXPORT Error_t GetDeviceCount(int* count);

// Make `device` current for the calling thread. Errors: ErrorInvalidDevice, which leaves the current device as it was.
FLAGOS_EXPORT Error_t SetDevice(int device);

// Current device of the calling thread. Errors: ErrorInvalidDevice if there is no device.
FLAGOS_EXPORT Error_t GetDevice(int* device);

// Stream priorities of the current device. Lower numbers run first, so greatest <= least; a chip without priorities
// reports 0 for both.
FLAGOS_EXPORT Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

// Block the calling thread until all work of all streams of the current device has finished, and of no other device.
FLAGOS_EXPORT Error_t DeviceSynchronize(void);

// ---- memory.cc: 9 -------------------------------------------------------------------------------
// Sizes and counts are bytes. Any pointer inside a block may be given where memory is read or written, only the start
// of a block where it is freed.

// Device memory on the current device, aligned to at least 256 bytes, contents undefined. Size 0 gives NULL and
// Success. Errors: ErrorMemoryAllocation, after which smaller requests still work.
FLAGOS_EXPORT Error_t Malloc(void** devPtr, size_t size);

// Give back a block of Malloc; NULL is allowed. Safe while submitted work still uses the block: the call waits for it.
// The block may belong to another device than the current one. Errors: ErrorUnknown for a pointer that is not the start
// of a live block, a second free included.
FLAGOS_EXPORT Error_t Free(void* devPtr);

// Pinned host memory, usable by asynchronous copies of every device. Otherwise as Malloc.
FLAGOS_EXPORT Error_t MallocHost(void** hostPtr, size_t size);

// Give back a block of MallocHost. Otherwise as Free.
FLAGOS_EXPORT Error_t FreeHost(void* hostPtr);

// Copy, and return when the data is there. Ordered after earlier work on the default stream of the current device, not
// after work on other streams. Errors: ErrorUnknown for a kind outside MemcpyKind.
FLAGOS_EXPORT Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind);

// Copy as part of `stream`. Pinned host memory must stay alive and unchanged until the stream has passed the copy. With
// unmanaged host memory the call may block; on return that memory may be reused (HostToDevice) or holds the data
// (DeviceToHost).
FLAGOS_EXPORT Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream);

// What the runtime knows about an address, interior addresses included. An address that it does not know is Success and
// MemoryTypeUnmanaged; NULL is ErrorUnknown.
FLAGOS_EXPORT Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr);

// Set `count` bytes of the current device's memory to the low byte of `value`; ordered as Memcpy, done on return.
FLAGOS_EXPORT Error_t Memset(void* devPtr, int value, size_t count);

// The same as part of `stream`, in memory of the stream's device.
FLAGOS_EXPORT Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream);

// ---- stream.cc: 14 ------------------------------------------------------------------------------

// A new stream on the current device. `flags` is StreamDefault. A priority outside the range of
// DeviceGetStreamPriorityRange is clamped to it.
FLAGOS_EXPORT Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority);

// StreamCreateWithPriority(stream, StreamDefault, 0).
FLAGOS_EXPORT Error_t StreamCreate(Stream_t* stream);

// The priority the stream really has, after clamping.
FLAGOS_EXPORT Error_t StreamGetPriority(Stream_t stream, int* priority);

// Release the stream. Work already submitted still runs to its end. Errors: ErrorUnknown for a null stream.
FLAGOS_EXPORT Error_t StreamDestroy(Stream_t stream);

// Success if all work submitted so far has finished, else ErrorNotReady. Does not block.
FLAGOS_EXPORT Error_t StreamQuery(Stream_t stream);

// Block the calling thread until all work submitted to the stream so far has finished.
FLAGOS_EXPORT Error_t StreamSynchronize(Stream_t stream);

// Make work submitted to `stream` after this call wait for the latest record of `event` before this call. Does not
// block the host; the event may belong to another device; an event never recorded does not hold anything. `flags` is
// WaitDefault.
FLAGOS_EXPORT Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags);

// A new event on the current device. `flags` is EventDisableTiming or EventEnableTiming.
FLAGOS_EXPORT Error_t EventCreateWithFlags(Event_t* event, unsigned int flags);

// EventCreateWithFlags(event, EventEnableTiming).
FLAGOS_EXPORT Error_t EventCreate(Event_t* event);

// Release the event. Streams that already wait for it still do. Errors: ErrorUnknown for a null event.
FLAGOS_EXPORT Error_t EventDestroy(Event_t event);

// Record the event on a stream of its own device: it is ready when the work submitted to the stream so far has
// finished. A second record replaces the first. Errors: ErrorUnknown for a stream of another device.
FLAGOS_EXPORT Error_t EventRecord(Event_t event, Stream_t stream);

// Block the calling thread until the latest record is ready; an event never recorded does not block.
FLAGOS_EXPORT Error_t EventSynchronize(Event_t event);

// Success if the latest record is ready or there is none, else ErrorNotReady. Does not block.
FLAGOS_EXPORT Error_t EventQuery(Event_t event);

// Milliseconds of device time from `start` to `end`, both recorded with timing on one device. Never negative when `end`
// was recorded after `start` on one stream. Errors: ErrorNotReady if one is not ready yet; ErrorUnknown if one was
// never recorded or has no timing. Events of two devices: the time, or ErrorUnknown where the SDK has no common clock.
FLAGOS_EXPORT Error_t EventElapsedTime(float* ms, Event_t start, Event_t end);

// ---- beside the 28 ------------------------------------------------------------------------------

// Default stream of a device; null where the SDK has no handle for it. For a bad index null as well.
FLAGOS_EXPORT Stream_t GetDefaultStream(int device);

// Text of the calling thread's last failed call: the SDK function and its own message. Never null; valid until the
// thread's next failed call.
FLAGOS_EXPORT const char* GetLastErrorText(void);

#ifdef __cplusplus
}  // extern "C"
#endif
