#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device/executor.h"

namespace tailwave {

// Memory aligned to 256 bytes between two guard zones of 256 bytes that hold a known byte. With AddressSanitizer an
// access to a guard zone is reported where it happens.
class CpuBuffer : public Buffer {
 public:
  static constexpr std::size_t kGuardBytes = 256;
  static constexpr std::byte kGuardByte{0xc3};

  // Throws Failure(out_of_memory) also when it is more than the machine has.
  explicit CpuBuffer(std::size_t size_bytes);
  ~CpuBuffer() override;
  CpuBuffer(const CpuBuffer&) = delete;
  CpuBuffer& operator=(const CpuBuffer&) = delete;

  [[nodiscard]] std::size_t size_bytes() const override { return size_; }
  [[nodiscard]] std::byte* data() const { return memory_ + kGuardBytes; }

  // "3 bytes past the end, first at +4; 1 byte before the start, first at -8", or "". Offsets are from the end and
  // the start of the buffer.
  [[nodiscard]] std::string guard_damage() const;

 private:
  void poison_guards() const;

  std::size_t size_;
  std::byte* memory_;  // the first guard zone
};

}  // namespace tailwave
