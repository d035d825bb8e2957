#include "capture/injected/launch.h"

#include <cupti.h>

#include <cstring>

#include "capture/injected/api.h"

namespace tailwave::injected {
namespace {

// What stands behind CU_LAUNCH_PARAM_BUFFER_POINTER.
const char* packed_parameters(void* const* extra) {
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<const char*>(extra[1]);
  return nullptr;
}

void take_attributes(Launch& launch, const CUlaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const CUlaunchAttributeValue& value = attributes[i].value;
    if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.cooperative = value.cooperative != 0;
    if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  }
}

template <class Call>
Launch plain_launch(const Call& call) {
  Launch launch;
  launch.function = call.f;
  launch.grid = {call.gridDimX, call.gridDimY, call.gridDimZ};
  launch.block = {call.blockDimX, call.blockDimY, call.blockDimZ};
  launch.dynamic_shared_bytes = call.sharedMemBytes;
  launch.stream = call.hStream;
  return launch;
}

}  // namespace

CUfunction function_of(CUfunction given) {
  const Api& api = Api::here();
  const char* name = nullptr;
  if (api.cuFuncGetName(&name, given) == CUDA_SUCCESS) return given;
  CUfunction function = nullptr;
  const CUresult result = api.cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(given));
  return result == CUDA_SUCCESS ? function : nullptr;
}

std::string symbol_of(CUfunction function) {
  const char* name = nullptr;
  return Api::here().cuFuncGetName(&name, function) == CUDA_SUCCESS ? name : "";
}

namespace {

AskedLaunch asked_launch(unsigned call, const void* data) {
  if (call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
      call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    const auto& asked = *static_cast<const cuLaunchKernelEx_params*>(data);
    const CUlaunchConfig& config = *asked.config;
    AskedLaunch one{.launch = {}, .values = asked.kernelParams, .extra = asked.extra};
    one.launch.function = asked.f;
    one.launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    one.launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    one.launch.dynamic_shared_bytes = config.sharedMemBytes;
    one.launch.stream = config.hStream;
    take_attributes(one.launch, config.attrs, config.numAttrs);
    return one;
  }
  if (call == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
      call == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
    const auto& asked = *static_cast<const cuLaunchCooperativeKernel_params*>(data);
    AskedLaunch one{.launch = plain_launch(asked), .values = asked.kernelParams, .extra = nullptr};
    one.launch.cooperative = true;
    return one;
  }
  const auto& asked = *static_cast<const cuLaunchKernel_params*>(data);
  return {.launch = plain_launch(asked), .values = asked.kernelParams, .extra = asked.extra};
}

// These calls take no stream for the thread's own.
bool is_per_thread(unsigned call) {
  return call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         call == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

}  // namespace

AskedLaunch launch_of(unsigned call, const void* data) {
  AskedLaunch asked = asked_launch(call, data);
  if (asked.launch.stream == nullptr && is_per_thread(call)) asked.launch.stream = CU_STREAM_PER_THREAD;
  return asked;
}

bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus status{};
  return Api::here().cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool take_parameters(Launch& launch, void* const* values, void* const* extra) {
  const Api& api = Api::here();
  const char* const packed = packed_parameters(extra);
  for (std::size_t i = 0;; ++i) {
    Parameter parameter;
    std::size_t size = 0;
    const CUresult result = api.cuFuncGetParamInfo(launch.function, i, &parameter.offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return true;  // there are no more
    if (result != CUDA_SUCCESS || (values == nullptr && packed == nullptr)) return false;
    const auto* const from =
        values != nullptr ? static_cast<const char*>(values[i]) : packed + parameter.offset;
    parameter.bytes.assign(from, size);
    launch.parameters.push_back(std::move(parameter));
  }
}

CUresult launch_again(const Launch& launch) {
  std::vector<CUlaunchAttribute> attributes;
  if (launch.cooperative) {
    CUlaunchAttribute& one = attributes.emplace_back();
    one.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    one.value.cooperative = 1;
  }
  if (launch.cluster) {
    CUlaunchAttribute& one = attributes.emplace_back();
    one.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    one.value.clusterDim.x = (*launch.cluster)[0];
    one.value.clusterDim.y = (*launch.cluster)[1];
    one.value.clusterDim.z = (*launch.cluster)[2];
  }
  CUlaunchConfig config{};
  config.gridDimX = launch.grid[0];
  config.gridDimY = launch.grid[1];
  config.gridDimZ = launch.grid[2];
  config.blockDimX = launch.block[0];
  config.blockDimY = launch.block[1];
  config.blockDimZ = launch.block[2];
  config.sharedMemBytes = launch.dynamic_shared_bytes;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  std::vector<void*> values;
  for (const Parameter& parameter : launch.parameters)
    values.push_back(
        const_cast<char*>(parameter.bytes.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return Api::here().cuLaunchKernelEx(&config, launch.function, values.data(), nullptr);
}

}  // namespace tailwave::injected
