#include "occupancy/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <utility>

#include "core/error.h"

#ifdef TAILWAVE_WITH_CUDA
#include <cuda_occupancy.h>
#endif

namespace tailwave {
namespace {

constexpr std::int64_t kMaxGridX = INT_MAX;  // CUDA C++ Programming Guide, technical specifications
constexpr std::int64_t kMaxGridYZ = 65535;
constexpr Dim3 kMaxBlock{1024, 1024, 64};

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// Code for a later target may use more registers than a thread of capability 3.0 can have; a compiler for that
// device would have kept to its limit.
int registers_on(const DeviceSpec& device, const KernelResources& kernel) {
  constexpr int kMaxRegistersOf30 = 63;
  return device.compute_capability == 30 ? std::min(kernel.registers, kMaxRegistersOf30) : kernel.registers;
}

// Registers that one block takes, as cuda_occupancy.h assumes: 256 at a time for each warp, warps in as many as an
// SM has schedulers. A P100 has two of them, but does not run what its family of four cannot.
std::int64_t registers_of_block(const DeviceSpec& device, const KernelResources& kernel, const Dim3& block) {
  constexpr std::int64_t kGranularity = 256, kSchedulers = 4;
  const std::int64_t warps = round_up(block.count(), device.warp_size) / device.warp_size;
  return round_up(std::int64_t{registers_on(device, kernel)} * device.warp_size, kGranularity) *
         round_up(warps, kSchedulers);
}

bool is_empty(const Dim3& size) {
  return size.x < 1 || size.y < 1 || size.z < 1;
}

std::string text(const Dim3& size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

std::string block_obstacle(const DeviceSpec& device, const KernelResources& kernel, const Dim3& block) {
  if (is_empty(block)) return fmt::format("a block of {} threads is empty", text(block));
  if (block.count() > device.max_threads_per_block)
    return fmt::format("{} threads a block exceed the {} that the device allows", block.count(),
                       device.max_threads_per_block);
  if (block.x > kMaxBlock.x || block.y > kMaxBlock.y || block.z > kMaxBlock.z)
    return fmt::format("a block of {} threads exceeds the {} that the device allows", text(block),
                       text(kMaxBlock));
  if (kernel.max_threads > 0 && block.count() > kernel.max_threads)
    return fmt::format("{} threads a block exceed the {} of the kernel's __launch_bounds__", block.count(),
                       kernel.max_threads);
  return "";
}

}  // namespace

std::string launch_obstacle(const DeviceSpec& device, const KernelResources& kernel, const Dim3& grid,
                            const Dim3& block, std::int64_t dynamic_shared_bytes) {
  if (is_empty(grid)) return fmt::format("a grid of {} blocks is empty", text(grid));
  if (grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ)
    return fmt::format("a grid of {} blocks exceeds the {} that the device allows", text(grid),
                       text({kMaxGridX, kMaxGridYZ, kMaxGridYZ}));
  if (std::string obstacle = block_obstacle(device, kernel, block); !obstacle.empty()) return obstacle;
  if (dynamic_shared_bytes < 0)
    return fmt::format("{} bytes of dynamic shared memory are negative", dynamic_shared_bytes);
  if (kernel.static_shared_bytes > device.shared_bytes_per_block)
    return fmt::format("{} bytes of static shared memory a block exceed the {} that the device allows",
                       kernel.static_shared_bytes, device.shared_bytes_per_block);
  const std::int64_t shared = kernel.static_shared_bytes + dynamic_shared_bytes;
  if (shared > device.shared_bytes_per_block_opt_in)
    return fmt::format("{} bytes of shared memory a block exceed the {} that the device allows", shared,
                       device.shared_bytes_per_block_opt_in);
  const std::int64_t registers = registers_of_block(device, kernel, block);
  if (registers > device.registers_per_block)
    return fmt::format("{} registers a block ({} a thread) exceed the {} that the device has", registers,
                       kernel.registers, device.registers_per_block);
  return "";
}

#ifdef TAILWAVE_WITH_CUDA

namespace {

cudaOccDeviceProp occ_device(const DeviceSpec& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_capability / 10;
  properties.computeMinor = device.compute_capability % 10;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_sm;
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_sm;
  properties.warpSize = device.warp_size;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_bytes_per_sm);
  properties.numSms = device.sms;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_per_block_opt_in);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.reserved_shared_bytes_per_block);
  return properties;
}

cudaOccFuncAttributes occ_kernel(const DeviceSpec& device, const KernelResources& kernel) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = kernel.max_threads > 0 ? kernel.max_threads : INT_MAX;
  attributes.numRegs = registers_on(device, kernel);
  attributes.sharedSizeBytes = static_cast<std::size_t>(kernel.static_shared_bytes);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(device.shared_bytes_per_block_opt_in);
  attributes.numBlockBarriers = kernel.barriers;
  return attributes;
}

// The names of all limits that equal the result. The header's own limitingFactors keep the bits of the other
// limits when barriers are what limits.
std::string limiter_of(const cudaOccResult& result) {
  const std::pair<int, const char*> limits[] = {{result.blockLimitRegs, "registers"},
                                                {result.blockLimitSharedMem, "shared_memory"},
                                                {result.blockLimitWarps, "warps"},
                                                {result.blockLimitBlocks, "blocks"},
                                                {result.blockLimitBarriers, "barriers"}};
  std::string names;
  for (const auto& [limit, name] : limits) {
    if (limit != result.activeBlocksPerMultiprocessor) continue;
    if (!names.empty()) names += '+';
    names += name;
  }
  return names;
}

}  // namespace

bool occupancy_available() {
  return true;
}

bool occupancy_available(const DeviceSpec& device) {
  const cudaOccDeviceProp properties = occ_device(device);
  int blocks = 0;
  return cudaOccMaxBlocksPerMultiprocessor(&blocks, &properties) == CUDA_OCC_SUCCESS;
}

std::string why_no_occupancy(const DeviceSpec& device) {
  return fmt::format("cuda_occupancy.h cannot answer for compute capability {}.{}",
                     device.compute_capability / 10, device.compute_capability % 10);
}

Occupancy compute_occupancy(const DeviceSpec& device, const KernelResources& kernel, const Dim3& block,
                            std::int64_t dynamic_shared_bytes) {
  Occupancy occupancy;
  if (!launch_obstacle(device, kernel, {}, block, dynamic_shared_bytes).empty()) return occupancy;
  const cudaOccDeviceProp properties = occ_device(device);
  const cudaOccFuncAttributes attributes = occ_kernel(device, kernel);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto threads = static_cast<int>(block.count());
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, threads, static_cast<std::size_t>(dynamic_shared_bytes));
  if (status != CUDA_OCC_SUCCESS)
    throw Error(fmt::format("device {}: {}", device.name, why_no_occupancy(device)));
  const auto capped = [&](int limit) { return limit == INT_MAX ? result.blockLimitBlocks : limit; };
  occupancy.blocks_per_sm = result.activeBlocksPerMultiprocessor;
  const int warps = (threads + device.warp_size - 1) / device.warp_size;
  const int warp_slots = device.max_threads_per_sm / device.warp_size;
  occupancy.occupancy = static_cast<double>(occupancy.blocks_per_sm * warps) / warp_slots;
  occupancy.limiter = limiter_of(result);
  occupancy.limit_registers = capped(result.blockLimitRegs);
  occupancy.limit_shared_memory = capped(result.blockLimitSharedMem);
  occupancy.limit_warps = result.blockLimitWarps;
  occupancy.limit_blocks = result.blockLimitBlocks;
  return occupancy;
}

#else

bool occupancy_available() {
  return false;
}

bool occupancy_available(const DeviceSpec& /*device*/) {
  return false;
}

std::string why_no_occupancy(const DeviceSpec& /*device*/) {
  return "occupancy is not available: tailwave was built without the CUDA headers";
}

Occupancy compute_occupancy(const DeviceSpec& device, const KernelResources& /*kernel*/,
                            const Dim3& /*block*/, std::int64_t /*dynamic_shared_bytes*/) {
  throw Error(why_no_occupancy(device));
}

#endif

Waves compute_waves(const DeviceSpec& device, const Dim3& grid, int blocks_per_sm) {
  return waves_of_slots(device, grid.count(), std::int64_t{device.sms} * blocks_per_sm);
}

Waves waves_of_slots(const DeviceSpec& device, std::int64_t blocks, std::int64_t slots) {
  if (slots <= 0) throw std::invalid_argument("waves need at least one block per SM");
  Waves waves;
  waves.waves = static_cast<double>(blocks) / static_cast<double>(slots);
  waves.full_waves = blocks / slots;
  waves.tail_fraction = static_cast<double>(blocks % slots) / static_cast<double>(slots);
  const std::int64_t started = (blocks + slots - 1) / slots;
  waves.quantisation_efficiency = started == 0 ? 0 : waves.waves / static_cast<double>(started);
  waves.active_sms = std::min({blocks, slots, std::int64_t{device.sms}});
  return waves;
}

}  // namespace tailwave
