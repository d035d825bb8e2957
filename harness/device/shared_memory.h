#pragma once

#include <cstddef>
#include <span>

namespace tailwave {

// Memory that processes forked later share with this one, filled with zeros. Pages that nobody touches cost nothing.
class SharedMemory {
 public:
  // Throws Error when the system refuses.
  explicit SharedMemory(std::size_t size_bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace tailwave
