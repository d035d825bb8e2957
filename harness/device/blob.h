#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/descriptor.h"

namespace tailwave {

// Bytes that one process hands to another: a few lie in the message, many in a file of memory (memfd_create) whose
// descriptor travels instead. Copies share the bytes.
class Blob {
 public:
  Blob() = default;
  explicit Blob(std::vector<std::byte> bytes);

  // Zeros that can be handed over without a copy. Throws Error when the system refuses.
  static Blob shared(std::size_t size_bytes);
  // What another process handed over: sealed, so that nobody writes to it any more, or copied where somebody still
  // could. Throws Error when there are not that many bytes.
  static Blob received(Descriptor descriptor, std::size_t size_bytes);

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Of bytes that this process made and has not handed over.
  [[nodiscard]] std::span<std::byte> writable() const;
  [[nodiscard]] int descriptor() const;  // -1: there is none

  friend bool operator==(const Blob& one, const Blob& other) {
    return std::ranges::equal(one.bytes_, other.bytes_);
  }

  // Ends this process's way to write to shared bytes, as the receiver wants it. They stay where they are, for copies, too.
  void hand_over();

 private:
  struct Memory;
  std::shared_ptr<Memory> memory_;
  std::span<const std::byte> bytes_;
};

}  // namespace tailwave
