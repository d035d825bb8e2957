#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "device/cuda/nvshmem.h"
#include "verify/difference.h"

namespace tailwave {
namespace {

using Zone = std::array<std::uint8_t, CudaBuffer::kGuardBytes>;

// No two neighbours are equal, so that neither a fill nor a shifted copy goes unseen.
Zone pattern() {
  Zone zone{};
  for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = static_cast<std::uint8_t>(0xA5 ^ (i * 37));
  return zone;
}

std::ptrdiff_t first_difference(const Zone& found, const Zone& expected) {
  const auto* const place = std::mismatch(found.begin(), found.end(), expected.begin()).first;
  return place == found.end() ? -1 : place - found.begin();
}

}  // namespace

CudaBuffer::CudaBuffer(std::shared_ptr<Context> context, std::size_t size_bytes, CUstream stream,
                       const Placement& place)
    : context_(std::move(context)),
      size_bytes_(size_bytes),
      stream_(stream),
      memory_(place.memory),
      before_(place.memory == MemoryKind::device ? place.before : 0) {
  context_->enter();
  const DriverApi& api = context_->api();
  allocate(before_ + size_bytes + 2 * kGuardBytes);
  static const Zone zone = pattern();  // outlives the copies, which nobody waits for
  const auto zone_at = reinterpret_cast<CUdeviceptr>(zone.data());
  CUresult result = before_ == 0 ? CUDA_SUCCESS : api.set_bytes(base_, kPoisonByte, before_, stream);
  if (result == CUDA_SUCCESS) result = api.copy(address() - kGuardBytes, zone_at, zone.size(), stream);
  if (result == CUDA_SUCCESS) result = api.copy(address() + size_bytes_, zone_at, zone.size(), stream);
  if (result != CUDA_SUCCESS) release();
  context_->check(result, "writing the guard zones");
}

void CudaBuffer::allocate(std::size_t size_bytes) {
  const DriverApi& api = context_->api();
  switch (memory_) {
    case MemoryKind::symmetric:
      base_ = context_->nvshmem()->allocate(size_bytes);
      return;
    case MemoryKind::managed:
      return context_->check(api.managed_alloc(&base_, size_bytes, CU_MEM_ATTACH_GLOBAL),
                             fmt::format("allocating {} managed bytes", size_bytes_));
    case MemoryKind::pinned:
    case MemoryKind::pageable:
      return allocate_on_host(size_bytes);
    case MemoryKind::device:
      return context_->check(api.mem_alloc(&base_, size_bytes),
                             fmt::format("allocating {} bytes", size_bytes_));
  }
}

void CudaBuffer::allocate_on_host(std::size_t size_bytes) {
  const std::string doing = fmt::format("allocating {} {} bytes", size_bytes_, to_string(memory_));
  if (memory_ == MemoryKind::pinned)
    context_->check(context_->api().host_alloc(&on_host_, size_bytes, CU_MEMHOSTALLOC_PORTABLE), doing);
  else if (posix_memalign(&on_host_, kGuardBytes, size_bytes) != 0)
    throw Failure(Outcome::out_of_memory, doing);
  base_ = reinterpret_cast<CUdeviceptr>(on_host_);
}

void CudaBuffer::release() const noexcept {
  const DriverApi& api = context_->api();
  switch (memory_) {
    case MemoryKind::symmetric:
      return context_->nvshmem()->release(base_);
    case MemoryKind::pinned:
      api.host_free(on_host_);
      return;
    case MemoryKind::pageable:
      api.stream_synchronize(stream_);  // what is queued may still use it
      return std::free(on_host_);
    case MemoryKind::managed:
    case MemoryKind::device:
      api.mem_free(base_);
  }
}

CudaBuffer::~CudaBuffer() {
  if (!context_->usable()) return;
  context_->enter();
  release();
}

std::vector<std::byte> CudaBuffer::share() const {
  context_->enter();
  Shared shared{{}, before_ + kGuardBytes};
  if (memory_ != MemoryKind::device && memory_ != MemoryKind::symmetric) return {};
  if (context_->api().ipc_get_handle(&shared.handle, base_) != CUDA_SUCCESS) return {};
  const auto bytes = std::as_bytes(std::span(&shared, 1));
  return {bytes.begin(), bytes.end()};
}

void CudaBuffer::read_guards(std::byte* pinned) const {
  read_guards(*context_, address(), size_bytes_, stream_, pinned);
}

void CudaBuffer::read_guards(Context& context, CUdeviceptr address, std::size_t size_bytes, CUstream stream,
                             std::byte* pinned) {
  context.enter();
  const DriverApi& api = context.api();
  const auto to = reinterpret_cast<CUdeviceptr>(pinned);
  context.check(api.copy(to, address - kGuardBytes, kGuardBytes, stream), "reading a guard zone");
  context.check(api.copy(to + kGuardBytes, address + size_bytes, kGuardBytes, stream),
                "reading a guard zone");
}

std::string CudaBuffer::damage_in(const std::byte* zones, std::size_t size_bytes) {
  Zone before{}, after{};
  std::memcpy(before.data(), zones, kGuardBytes);
  std::memcpy(after.data(), zones + kGuardBytes, kGuardBytes);
  const Zone expected = pattern();
  if (const auto first = first_difference(before, expected); first >= 0) {
    return fmt::format("memory before the buffer was overwritten, first at byte {}",
                       first - static_cast<std::ptrdiff_t>(kGuardBytes));
  }
  if (const auto first = first_difference(after, expected); first >= 0) {
    return fmt::format("memory behind the buffer was overwritten, first at byte {} of {}",
                       size_bytes + static_cast<std::size_t>(first), size_bytes);
  }
  return "";
}

}  // namespace tailwave
#endif
