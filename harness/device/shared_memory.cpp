#include "device/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace tailwave {

SharedMemory::SharedMemory(std::size_t size_bytes) {
  void* const start = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) {
    throw Error(fmt::format("sharing {} bytes of memory with a device worker: {}", size_bytes,
                            std::generic_category().message(errno)));
  }
  bytes_ = {static_cast<std::byte*>(start), size_bytes};
}

SharedMemory::~SharedMemory() {
  munmap(bytes_.data(), bytes_.size());
}

}  // namespace tailwave
