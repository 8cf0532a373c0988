"""What people confirmed for real SDKs: slot -> the function, or how else the slot is filled.

`MISSING` is a slot for which the SDK has nothing: recon must propose an emulation or a gap. A tuple holds answers of equal
worth. CUDA, HIP: the vendor's map. ACL, OpenCL: the SDK's headers, read by hand. XRE, CNRT: public sources.
"""

from __future__ import annotations

from generators.map import load_map, map_path
from generators.map.schema import CONTRACT_SLOTS
from generators.recon.lexicon import MEMORY_INFO
from tests.unit.sdks import RealSdk

MISSING = "missing"
FORWARD = "forward"
SLOTS = [*CONTRACT_SLOTS, MEMORY_INFO]


def in_order(text: str) -> dict[str, str | tuple[str, ...]]:
    """One answer a slot, in the order of SLOTS; `a|b` are two of equal worth."""
    answers = text.split()
    assert len(answers) == len(SLOTS)
    return {slot: tuple(a.split("|")) if "|" in a else a for slot, a in zip(SLOTS, answers, strict=True)}


def confirmed(vendor: str) -> dict[str, str | tuple[str, ...]]:
    found = load_map(map_path(vendor))
    entries = found.slots | {"get_memory_info": found.virtuals["get_memory_info"]}
    return {
        name: slot.call.declaration.name if slot.call else FORWARD if slot.forward else MISSING
        for name, slot in entries.items()
    }


CUDA = RealSdk(
    "CUDA",
    ("/usr/local/cuda/include", "{purelib}/nvidia/cu13/include"),
    "cuda_runtime_api.h",
    "the CUDA toolkit, or: pip install nvidia-cuda-runtime",
    confirmed("cuda") | {"EventCreate": (FORWARD, "cudaEventCreate")},
    26,
)
HIP = RealSdk(
    "HIP",
    ("/usr/include",),
    "hip/hip_runtime_api.h",
    "apt-get install libamdhip64-dev",
    confirmed("dcu") | {"StreamCreate": (FORWARD, "hipStreamCreate")},
    26,
)
ACL = RealSdk(
    "ACL",
    ("{purelib}/torch_npu/include/third_party/acl/inc", "{root}/build/sdks/torch_npu/include/third_party/acl/inc"),
    "acl/acl_rt.h",
    "pip download --no-deps torch-npu, and unpack it as build/sdks/",
    in_order(
        """aclrtGetDeviceCount aclrtSetDevice aclrtGetDevice aclrtDeviceGetStreamPriorityRange aclrtSynchronizeDevice aclrtMalloc
        aclrtFree aclrtMallocHost aclrtFreeHost aclrtMemcpy aclrtMemcpyAsync aclrtPointerGetAttributes aclrtMemset
        aclrtMemsetAsync aclrtCreateStreamWithConfig aclrtCreateStream aclrtStreamGetPriority aclrtDestroyStream
        aclrtStreamQuery aclrtSynchronizeStream aclrtStreamWaitEvent aclrtCreateEventWithFlag|aclrtCreateEventExWithFlag
        aclrtCreateEvent aclrtDestroyEvent aclrtRecordEvent aclrtSynchronizeEvent aclrtQueryEventStatus
        aclrtEventElapsedTime aclrtGetMemInfo"""
    ),
    22,
)
XRE = RealSdk(
    "XRE (simulated)",
    ("{root}/tests/sdks/xre_sim/include",),
    "xpu/runtime.h",
    "nothing: it is in the tree",
    in_order(
        """xpu_device_count xpu_set_device xpu_current_device missing missing xpu_malloc xpu_free xpu_host_alloc xpu_host_free
        xpu_memcpy xpu_memcpy_async missing missing missing missing xpu_stream_create missing xpu_stream_destroy missing
        xpu_wait xpu_stream_wait_event missing xpu_event_create xpu_event_destroy xpu_event_record xpu_event_wait
        xpu_event_query missing missing"""
    ),
    12,
    18,
)
OPENCL = RealSdk(
    "OpenCL",
    ("/usr/include",),
    "CL/cl.h",
    "apt-get install opencl-headers",
    in_order(
        """clGetDeviceIDs missing missing missing missing clSVMAlloc clSVMFree missing missing clEnqueueSVMMemcpy
        clEnqueueSVMMemcpy missing clEnqueueSVMMemFill|missing clEnqueueSVMMemFill missing clCreateCommandQueueWithProperties
        missing clReleaseCommandQueue missing clFinish clEnqueueBarrierWithWaitList missing missing clReleaseEvent
        clEnqueueMarkerWithWaitList clWaitForEvents clGetEventInfo clGetEventProfilingInfo|missing missing"""
    ),
    10,
    14,
)
CNRT = RealSdk(
    "CNRT (declarations)",
    ("{root}/tests/sdks/cnrt_declarations/include",),
    "cnrt.h",
    "nothing: it is in the tree",
    in_order(
        """cnrtGetDeviceCount cnrtSetDevice cnrtGetDevice cnrtDeviceGetQueuePriorityRange cnrtSyncDevice cnrtMalloc cnrtFree
        cnrtHostMalloc cnrtFreeHost cnrtMemcpy cnrtMemcpyAsync cnrtPointerGetAttributes cnrtMemset cnrtMemsetAsync
        cnrtQueueCreateWithPriority cnrtQueueCreate cnrtQueueGetPriority cnrtQueueDestroy cnrtQueueQuery cnrtQueueSync
        cnrtQueueWaitNotifier cnrtNotifierCreateWithFlags cnrtNotifierCreate cnrtNotifierDestroy cnrtPlaceNotifier
        cnrtWaitNotifier cnrtQueryNotifier cnrtNotifierElapsedTime cnrtMemGetInfo"""
    ),
    24,
)
REAL = [CUDA, HIP, ACL, XRE, OPENCL, CNRT]
