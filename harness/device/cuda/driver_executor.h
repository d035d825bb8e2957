#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/gpu_place.h"
#include "device/executor.h"

namespace tailwave {

// A GPU through the driver API, inside this process; works in the device's primary context. After a poisoning
// error or a missed deadline it is unusable, and so is CUDA in this process. Throws Error with one line that says
// what is missing.
//
// - timer(): CUDA events. A plan whose kernels have all been launched before is queued behind a held stream, so
//   that launch latency stays out of repeat()'s time; the property "stream_hold" is "stream memory operation", or
//   says why there is none, and then launch latency is in the time of short plans.
// - A graph is captured, instantiated and uploaded before the time starts, and kept until its program runs another
//   one. A plan of 400 or more launches in a graph is not held.
// - The cache is flushed by writing to twice the L2, at least 64 MiB, which stays allocated.
// - The SM clock is measured by a small kernel behind every run, in 8 us; the property "sm_clock" is "clock64 against
//   %globaltimer", or says why there is none. Temperature and throttle reasons come from NVML.
// - Buffers have 512-byte guard zones.
// - Launches with Launch::sms run in green contexts, one for each number of SMs that the driver grants. Those of the same
//   number share SMs, also in different streams; those of different numbers may.
// - With `sms`, the device is at least so many of the GPU's SMs, named "NVIDIA H200 (64 SMs)": all kernels of programs run
//   in a green context of that many. What the executor does itself (copies, random numbers, the flush, memory_rates())
//   has all of the GPU's. All of them are the whole GPU.
std::unique_ptr<Executor> open_in_this_process(const GpuPlace& place, int sms = 0);
// The same to count on, by the first of the libraries that can be loaded (device/cuda/counter_profiler.h). Times are
// not to be taken in such a process.
std::unique_ptr<Executor> open_counting_in_this_process(const GpuPlace& place,
                                                        const std::vector<std::filesystem::path>& libraries);

// As one of several processing elements (device/pe_server.h), by the host library of NVSHMEM: on the GPU that comes so
// many after `ordinal`. The first one's process makes the invitation. With `recorders`, to record on by the first of these
// libraries that can be loaded (device/cuda/activity_source.h), before NVSHMEM does anything. Throw also Failure:
// unavailable without NVSHMEM or, to record, without CUPTI.
std::string invite_pes(int ordinal, const std::filesystem::path& nvshmem);
std::unique_ptr<Executor> open_as_pe(int ordinal, int pe, int pes, const std::string& invitation,
                                     const std::filesystem::path& nvshmem,
                                     const std::vector<std::filesystem::path>& recorders = {});

struct DeviceList {
  std::string obstacle;  // why there is none: "libcuda.so.1 not found"
  std::vector<DeviceDescription> devices;
};
DeviceList list_in_this_process();

}  // namespace tailwave
