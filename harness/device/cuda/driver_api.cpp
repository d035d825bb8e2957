#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/driver_api.h"

#include <fmt/format.h>

#include <cstdlib>

#include "device/cuda/dynamic_library.h"

namespace tailwave {
namespace {

// Finds symbols one after another and remembers the first that is missing.
class Resolver {
 public:
  explicit Resolver(const DynamicLibrary& library) : library_(library) {}

  template <class Function>
  Resolver& operator()(Function*& function, const char* symbol) {
    if (!library_.find(function, symbol) && missing_.empty()) missing_ = symbol;
    return *this;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  const DynamicLibrary& library_;
  std::string missing_;
};

void resolve_devices(DriverApi& api, Resolver& resolve) {
  resolve(api.init, "cuInit")(api.driver_version, "cuDriverGetVersion");
  resolve(api.error_name, "cuGetErrorName")(api.error_string, "cuGetErrorString");
  resolve(api.device_count, "cuDeviceGetCount")(api.device_get, "cuDeviceGet");
  resolve(api.device_name, "cuDeviceGetName")(api.device_uuid, "cuDeviceGetUuid_v2");
  resolve(api.device_memory, "cuDeviceTotalMem_v2")(api.device_attribute, "cuDeviceGetAttribute");
  resolve(api.primary_retain, "cuDevicePrimaryCtxRetain")(api.primary_release,
                                                          "cuDevicePrimaryCtxRelease_v2");
  resolve(api.primary_set_flags, "cuDevicePrimaryCtxSetFlags_v2")(api.ctx_set_current, "cuCtxSetCurrent");
  resolve(api.enable_peer_access, "cuCtxEnablePeerAccess");
}

void resolve_memory(DriverApi& api, Resolver& resolve) {
  resolve(api.mem_alloc, "cuMemAlloc_v2")(api.mem_free, "cuMemFree_v2");
  resolve(api.managed_alloc, "cuMemAllocManaged")(api.prefetch, "cuMemPrefetchAsync");
  resolve(api.host_alloc, "cuMemHostAlloc")(api.host_free, "cuMemFreeHost");
  resolve(api.host_device_pointer, "cuMemHostGetDevicePointer_v2");
  resolve(api.copy_to_device, "cuMemcpyHtoDAsync_v2")(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  resolve(api.copy, "cuMemcpyAsync")(api.set_words, "cuMemsetD32Async");
  resolve(api.set_bytes, "cuMemsetD8Async")(api.module_global, "cuModuleGetGlobal_v2");
  resolve(api.ipc_get_handle, "cuIpcGetMemHandle")(api.ipc_open, "cuIpcOpenMemHandle_v2");
  resolve(api.ipc_close, "cuIpcCloseMemHandle");
}

void resolve_execution(DriverApi& api, Resolver& resolve) {
  resolve(api.module_load, "cuModuleLoadData")(api.module_unload, "cuModuleUnload");
  resolve(api.module_function, "cuModuleGetFunction");
  resolve(api.function_attribute, "cuFuncGetAttribute")(api.set_function_attribute, "cuFuncSetAttribute");
  resolve(api.blocks_per_sm, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  resolve(api.stream_create, "cuStreamCreate")(api.stream_destroy, "cuStreamDestroy_v2");
  resolve(api.stream_query, "cuStreamQuery")(api.stream_synchronize, "cuStreamSynchronize");
  resolve(api.stream_wait_event, "cuStreamWaitEvent");
  resolve(api.event_create, "cuEventCreate")(api.event_destroy, "cuEventDestroy_v2");
  resolve(api.event_record, "cuEventRecord")(api.event_query, "cuEventQuery")(api.event_elapsed,
                                                                              "cuEventElapsedTime");
  resolve(api.event_synchronize, "cuEventSynchronize");
  resolve(api.launch, "cuLaunchKernel")(api.launch_with, "cuLaunchKernelEx");
  resolve(api.active_clusters, "cuOccupancyMaxActiveClusters");
  resolve(api.largest_cluster, "cuOccupancyMaxPotentialClusterSize");
  resolve(api.priority_range, "cuCtxGetStreamPriorityRange");
}

void resolve_views(DriverApi& api, Resolver& resolve) {
  resolve(api.array_create, "cuArray3DCreate_v2")(api.array_destroy, "cuArrayDestroy");
  resolve(api.copy_box, "cuMemcpy3DAsync_v2");
  resolve(api.texture_create, "cuTexObjectCreate")(api.texture_destroy, "cuTexObjectDestroy");
  resolve(api.encode_tensor_map, "cuTensorMapEncodeTiled");
}

void resolve_graphs(DriverApi& api, Resolver& resolve) {
  resolve(api.begin_capture, "cuStreamBeginCapture_v2")(api.end_capture, "cuStreamEndCapture");
  resolve(api.graph_instantiate, "cuGraphInstantiateWithFlags")(api.graph_upload, "cuGraphUpload");
  resolve(api.graph_launch, "cuGraphLaunch");
  resolve(api.graph_exec_destroy, "cuGraphExecDestroy")(api.graph_destroy, "cuGraphDestroy");
}

void find_green_contexts(DriverApi& api, const DynamicLibrary& library) {
  library.find(api.device_resource, "cuDeviceGetDevResource");
  library.find(api.split_sms, "cuDevSmResourceSplitByCount");
  library.find(api.describe_resource, "cuDevResourceGenerateDesc");
  library.find(api.green_create, "cuGreenCtxCreate");
  library.find(api.green_destroy, "cuGreenCtxDestroy");
  library.find(api.green_stream_create, "cuGreenCtxStreamCreate");
}

}  // namespace

DriverApi::Loaded DriverApi::load(const std::string& library) {
  std::string reason;
  const auto opened = DynamicLibrary::open(library, reason);
  if (!opened) return {nullptr, reason};

  auto api = std::make_shared<DriverApi>();
  Resolver resolve(*opened);
  resolve_devices(*api, resolve);
  resolve_memory(*api, resolve);
  resolve_execution(*api, resolve);
  resolve_views(*api, resolve);
  resolve_graphs(*api, resolve);
  opened->find(api->stream_wait_value, "cuStreamWaitValue32_v2");
  opened->find(api->function_parameter, "cuFuncGetParamInfo");
  find_green_contexts(*api, *opened);
  if (!resolve.missing().empty()) {
    return {nullptr, fmt::format("{} has no {}: a driver of CUDA 12.0 or later is needed", library,
                                 resolve.missing())};
  }

  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const CUresult started = api->init(0);
  if (started == CUDA_ERROR_NO_DEVICE) return {nullptr, "the CUDA driver reports no device"};
  if (started == CUDA_ERROR_NOT_INITIALIZED) {
    return {nullptr,
            "CUDA was initialised before this process was forked (NVRTC does that when it compiles): "
            "look for devices before compiling"};
  }
  if (started != CUDA_SUCCESS) {
    return {nullptr, "the CUDA driver does not start: " + api->describe(started)};
  }
  int devices = 0;
  if (api->device_count(&devices) != CUDA_SUCCESS || devices == 0) {
    return {nullptr, "the CUDA driver reports no device"};
  }
  return {api, ""};
}

std::string DriverApi::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return fmt::format("CUDA error {}", static_cast<int>(result));
  }
  if (error_string(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Outcome outcome_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Outcome::out_of_memory;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return Outcome::illegal_access;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return Outcome::timeout;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return Outcome::exceeds_device_limit;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_INVALID_RESOURCE_TYPE:
    case CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return Outcome::launch_failed;
    default:
      return Outcome::crashed;
  }
}

bool poisons_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace tailwave
#endif
