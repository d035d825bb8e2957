#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/cuda/gpu_place.h"
#include "device/executor.h"

namespace tailwave {

// To be called before anything is compiled by NVRTC in this process, like whatever starts workers that open a GPU:
// NVRTC (seen with 13.0) initialises CUDA when it compiles, and processes that are forked afterwards cannot use CUDA
// then.

// Why no CUDA device can be used here, in one line ("libcuda.so.1 not found"); empty when one can.
std::string cuda_obstacle();

// Every CUDA device in the driver's order; empty when cuda_obstacle() is not.
std::vector<DeviceDescription> list_cuda_devices();

// Opens a GPU (device/cuda/driver_executor.h) in a worker process. After an illegal address or the like the driver
// (seen with 580 on an H200) refuses every further call in that process, with a reset primary context, a new context
// or one made before alike; only another process goes on. With `sms`, the device is so many of the GPU's SMs. Throws
// Error with one line that says what is missing.
ExecutorFactory cuda_device(const GpuPlace& place, int sms = 0);
// The same, to count on it (Executor::counters), by the first of the libraries that can be loaded. Throws also Error
// with the text of describe_obstacle() (device/counters.h).
ExecutorFactory counting_cuda_device(const GpuPlace& place, std::vector<std::filesystem::path> libraries);

// The GPUs from this one on, as described, as processing elements that share memory by NVSHMEM, whose host library this
// is (device/pes_executor.h). With `recorders`, each to record on by the first of these libraries that can be loaded, and
// times are not to be taken.
ExecutorFactory cuda_pes_device(int ordinal, DeviceDescription description, int gpus,
                                std::filesystem::path nvshmem,
                                std::vector<std::filesystem::path> recorders = {});

}  // namespace tailwave
