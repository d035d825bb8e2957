#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "core/outcome.h"

namespace tailwave {

// The entry points of the CUDA driver that the executor uses, found at run time. Types come from cuda.h;
// names are those of the versions that every driver since CUDA 12.0 exports. Tests fill in functions of their
// own.
struct DriverApi {
  decltype(&cuInit) init = nullptr;
  decltype(&cuDriverGetVersion) driver_version = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;

  decltype(&cuDeviceGetCount) device_count = nullptr;
  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDeviceGetName) device_name = nullptr;
  decltype(&cuDeviceGetUuid) device_uuid = nullptr;
  decltype(&cuDeviceTotalMem) device_memory = nullptr;
  decltype(&cuDeviceGetAttribute) device_attribute = nullptr;

  decltype(&cuDevicePrimaryCtxRetain) primary_retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) primary_release = nullptr;
  decltype(&cuDevicePrimaryCtxSetFlags) primary_set_flags = nullptr;
  decltype(&cuCtxSetCurrent) ctx_set_current = nullptr;
  decltype(&cuCtxEnablePeerAccess) enable_peer_access = nullptr;

  decltype(&cuMemAlloc) mem_alloc = nullptr;
  decltype(&cuMemFree) mem_free = nullptr;
  decltype(&cuMemHostAlloc) host_alloc = nullptr;
  decltype(&cuMemFreeHost) host_free = nullptr;
  decltype(&cuMemHostGetDevicePointer) host_device_pointer = nullptr;
  decltype(&cuMemcpyHtoDAsync) copy_to_device = nullptr;
  decltype(&cuMemcpyDtoHAsync) copy_to_host = nullptr;
  decltype(&cuMemcpyAsync) copy = nullptr;  // between any two places that the driver knows
  decltype(&cuMemAllocManaged) managed_alloc = nullptr;
  // As CUDA 8 to 12 have it: to a device, or to the host as CU_DEVICE_CPU. CUDA 13's libcuda has it, too.
  CUresult (*prefetch)(CUdeviceptr, std::size_t, CUdevice, CUstream) = nullptr;
  decltype(&cuMemsetD32Async) set_words = nullptr;
  decltype(&cuMemsetD8Async) set_bytes = nullptr;
  decltype(&cuIpcGetMemHandle) ipc_get_handle = nullptr;
  decltype(&cuIpcOpenMemHandle) ipc_open = nullptr;
  decltype(&cuIpcCloseMemHandle) ipc_close = nullptr;

  decltype(&cuModuleLoadData) module_load = nullptr;
  decltype(&cuModuleUnload) module_unload = nullptr;
  decltype(&cuModuleGetFunction) module_function = nullptr;
  decltype(&cuModuleGetGlobal) module_global = nullptr;
  decltype(&cuFuncGetAttribute) function_attribute = nullptr;
  decltype(&cuFuncSetAttribute) set_function_attribute = nullptr;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) blocks_per_sm = nullptr;

  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamQuery) stream_query = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&cuStreamWaitValue32) stream_wait_value = nullptr;  // null: this driver lacks it
  decltype(&cuFuncGetParamInfo) function_parameter = nullptr;  // null: older than CUDA 12.4
  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventQuery) event_query = nullptr;
  decltype(&cuEventSynchronize) event_synchronize = nullptr;
  decltype(&cuEventElapsedTime) event_elapsed = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuLaunchKernelEx) launch_with = nullptr;  // attributes
  decltype(&cuOccupancyMaxActiveClusters) active_clusters = nullptr;
  decltype(&cuOccupancyMaxPotentialClusterSize) largest_cluster = nullptr;
  decltype(&cuCtxGetStreamPriorityRange) priority_range = nullptr;

  decltype(&cuArray3DCreate) array_create = nullptr;
  decltype(&cuArrayDestroy) array_destroy = nullptr;
  decltype(&cuMemcpy3DAsync) copy_box = nullptr;
  decltype(&cuTexObjectCreate) texture_create = nullptr;
  decltype(&cuTexObjectDestroy) texture_destroy = nullptr;
  decltype(&cuTensorMapEncodeTiled) encode_tensor_map = nullptr;

  decltype(&cuStreamBeginCapture) begin_capture = nullptr;
  decltype(&cuStreamEndCapture) end_capture = nullptr;
  decltype(&cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
  decltype(&cuGraphUpload) graph_upload = nullptr;
  decltype(&cuGraphLaunch) graph_launch = nullptr;
  decltype(&cuGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&cuGraphDestroy) graph_destroy = nullptr;

  // Green contexts; null: older than CUDA 12.5, in part than 12.4.
  decltype(&cuDeviceGetDevResource) device_resource = nullptr;
  decltype(&cuDevSmResourceSplitByCount) split_sms = nullptr;
  decltype(&cuDevResourceGenerateDesc) describe_resource = nullptr;
  decltype(&cuGreenCtxCreate) green_create = nullptr;
  decltype(&cuGreenCtxDestroy) green_destroy = nullptr;
  decltype(&cuGreenCtxStreamCreate) green_stream_create = nullptr;

  [[nodiscard]] bool has_green_contexts() const {
    return device_resource != nullptr && split_sms != nullptr && describe_resource != nullptr &&
           green_create != nullptr && green_destroy != nullptr && green_stream_create != nullptr;
  }

  struct Loaded {
    std::shared_ptr<const DriverApi> api;  // null: unusable, and then
    std::string reason;                    // one line: "libcuda.so.1 not found"
  };
  // Opens the library, finds everything and initialises the driver. Modules are set to load eagerly
  // (CUDA_MODULE_LOADING=EAGER in the environment): lazy loading would wait for a stream that is being held.
  static Loaded load(const std::string& library = "libcuda.so.1");

  // The driver's words: "CUDA_ERROR_INVALID_VALUE: invalid argument".
  [[nodiscard]] std::string describe(CUresult result) const;
};

// What an error means for the configuration that met it. Errors that only a launch returns and that say "too
// much" are exceeds_device_limit; other refusals are launch_failed; what is neither is crashed.
Outcome outcome_of(CUresult result);

// Whether the process that met this error can do nothing more with the device (CUDA Driver API, CUresult: "the
// process must be terminated and relaunched").
bool poisons_context(CUresult result);

}  // namespace tailwave
