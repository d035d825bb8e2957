#include "device/argument_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <variant>

#include "core/argument_words.h"

namespace tailwave {

std::size_t size_bytes(const LaunchArgument& argument) {
  if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) return scalar->size;
  if (std::holds_alternative<TensorMapView>(argument)) return kTensorMapBytes;
  const auto* const whole = std::get_if<StructBytes>(&argument);
  return whole == nullptr ? sizeof(void*) : whole->bytes.size();
}

void check_size(const Launch& launch, std::size_t index, std::size_t taken) {
  const std::size_t given = size_bytes(launch.arguments[index]);
  if (given == taken) return;
  throw Failure(
      Outcome::launch_failed,
      fmt::format(
          "argument {} of '{}'{}with {} bytes, and the kernel takes {}: its type has to be the kernel's, which a macro "
          "may decide",
          index + 1, launch.kernel, kOtherArgument, given, taken));
}

std::vector<Buffer*> buffers_of(const LaunchArgument& argument) {
  if (const auto* const buffer = std::get_if<Buffer*>(&argument)) return {*buffer};
  if (const auto* const texture = std::get_if<TextureView>(&argument)) return {texture->buffer};
  if (const auto* const map = std::get_if<TensorMapView>(&argument)) return {map->buffer};
  std::vector<Buffer*> buffers;
  if (const auto* const whole = std::get_if<StructBytes>(&argument))
    for (const auto& [offset, buffer] : whole->addresses) buffers.push_back(buffer);
  return buffers;
}

void ArgumentValues::add(const LaunchArgument& argument, const AddressOf& address_of) {
  if (const auto* const scalar = std::get_if<ScalarBytes>(&argument))
    return add(std::span(scalar->bytes).first(scalar->size));
  if (const auto* const buffer = std::get_if<Buffer*>(&argument)) {
    const void* const address = address_of(**buffer);
    return add(std::as_bytes(std::span(&address, 1)));
  }
  const auto& whole = std::get<StructBytes>(argument);
  add(whole.bytes);
  for (const auto& [offset, buffer] : whole.addresses) {
    std::byte* const place = bytes_.data() + offsets_.back() + offset;
    std::uintptr_t address = 0;
    std::memcpy(&address, place, sizeof address);
    address += reinterpret_cast<std::uintptr_t>(address_of(*buffer));
    std::memcpy(place, &address, sizeof address);
  }
}

void ArgumentValues::add(std::span<const std::byte> bytes) {
  constexpr std::size_t kAlignment = 16;  // of the memory of a vector, too
  offsets_.push_back(bytes_.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
}

std::vector<void*> ArgumentValues::places() {
  std::vector<void*> places(offsets_.size());
  std::transform(offsets_.begin(), offsets_.end(), places.begin(),
                 [this](std::size_t offset) { return static_cast<void*>(bytes_.data() + offset); });
  return places;
}

}  // namespace tailwave
