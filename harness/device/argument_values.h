#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "device/executor.h"

namespace tailwave {

// How many bytes a kernel gets of an argument.
std::size_t size_bytes(const LaunchArgument& argument);

// Throws Failure (launch_failed) unless the argument at `index` has as many bytes as the kernel takes there.
void check_size(const Launch& launch, std::size_t index, std::size_t taken);

// The buffers that an argument hands over.
std::vector<Buffer*> buffers_of(const LaunchArgument& argument);

// The arguments of a launch as they lie in memory, for a driver that is told where each is.
class ArgumentValues {
 public:
  using AddressOf = std::function<const void*(const Buffer&)>;

  // No texture and no tensor map: what these are is the device's.
  void add(const LaunchArgument& argument, const AddressOf& address_of);
  void add(std::span<const std::byte> bytes);

  // Where each begins, which holds until another is added or this is copied; a move changes nothing.
  [[nodiscard]] std::vector<void*> places();

  bool operator==(const ArgumentValues&) const = default;

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> offsets_;
};

}  // namespace tailwave
