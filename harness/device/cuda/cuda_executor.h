#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/remote_executor.h"

namespace tailwave {

// To be called before anything is compiled by NVRTC in this process, like list_cuda_devices() and
// CudaExecutor::open(): NVRTC (seen with 13.0) initialises CUDA when it compiles, and the processes that these
// functions fork cannot use CUDA then. An executor that is open already is not affected.

// Why no CUDA device can be used here, in one line ("libcuda.so.1 not found"); empty when one can.
std::string cuda_obstacle();

// Every CUDA device in the driver's order; empty when cuda_obstacle() is not.
std::vector<DeviceDescription> list_cuda_devices();

// A GPU through the driver API, in a worker process of its own. After an illegal address or the like the driver
// (seen with 580 on an H200) refuses every further call in that process, with a reset primary context, a new
// context or one made before alike; only another process goes on.
//
// - timer(): CUDA events. A plan whose kernels have all been launched before is queued behind a held stream, so
//   that launch latency stays out of run()'s time; the property "stream_hold" is "stream memory operation", or
//   says why there is none, and then launch latency is in the time of short plans.
// - A graph is captured, instantiated and uploaded before the time starts, and kept until its program runs another
//   one. A plan of 400 or more launches in a graph is not held.
// - The cache is flushed by writing to twice the L2, at least 64 MiB, which stays allocated.
// - The SM clock is measured by a small kernel behind every run, in 8 us; the property "sm_clock" is "clock64 against
//   %globaltimer", or says why there is none. Temperature and throttle reasons come from NVML.
// - Buffers have 256-byte guard zones. Memory calls wait for the device.
// - A kernel that misses the deadline is ended with its process.
class CudaExecutor final : public RemoteExecutor {
 public:
  using RemoteExecutor::RemoteExecutor;

  // Throws Error with one line that says what is missing.
  static std::unique_ptr<CudaExecutor> open(int ordinal);
};

}  // namespace tailwave
