#include "device/cpu/cpu_buffer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/outcome.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {
namespace {

constexpr std::size_t kBufferAlignment = 256;

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::byte* allocate(std::size_t size) {
  const std::size_t whole =
      (size + 2 * CpuBuffer::kGuardBytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  void* memory = size > physical_memory() ? nullptr : std::aligned_alloc(kBufferAlignment, whole);
  if (memory == nullptr)
    throw Failure(Outcome::out_of_memory, fmt::format("{} bytes cannot be allocated on this machine", size));
  return static_cast<std::byte*>(memory);
}

// `first_offset`: of the zone's first byte.
std::string damage(std::span<const std::byte> zone, std::ptrdiff_t first_offset, const char* where) {
  const auto damaged = [](std::byte byte) { return byte != CpuBuffer::kGuardByte; };
  const auto count = std::count_if(zone.begin(), zone.end(), damaged);
  if (count == 0) return "";
  const auto first = std::find_if(zone.begin(), zone.end(), damaged) - zone.begin();
  return fmt::format("{} {} {}, first at {:+}", count, count == 1 ? "byte" : "bytes", where,
                     first_offset + first);
}

}  // namespace

CpuBuffer::CpuBuffer(std::size_t size_bytes) : size_(size_bytes), memory_(allocate(size_bytes)) {
  std::fill_n(memory_, kGuardBytes, kGuardByte);
  std::fill_n(data() + size_, kGuardBytes, kGuardByte);
  poison_guards();
}

CpuBuffer::~CpuBuffer() {
  sanitizer::unpoison(memory_, size_ + 2 * kGuardBytes);
  std::free(memory_);
}

std::string CpuBuffer::guard_damage() const {
  sanitizer::unpoison(memory_, size_ + 2 * kGuardBytes);
  std::string after = damage({data() + size_, kGuardBytes}, 0, "past the end");
  const std::string before =
      damage({memory_, kGuardBytes}, -static_cast<std::ptrdiff_t>(kGuardBytes), "before the start");
  poison_guards();
  if (!after.empty() && !before.empty()) after += "; ";
  return after + before;
}

void CpuBuffer::poison_guards() const {
  sanitizer::poison(memory_, kGuardBytes);
  sanitizer::poison(data() + size_, kGuardBytes);
}

}  // namespace tailwave
