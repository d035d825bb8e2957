#pragma once

#include <array>
#include <string_view>

#include "core/enum_names.h"

namespace tailwave {

// recorded: known from the results of another tuner alone.
enum class DeviceKind { cuda, cpu, recorded };

template <>
struct EnumNames<DeviceKind> {
  static constexpr std::string_view noun = "device kind";
  static constexpr std::array<std::string_view, 3> names{"cuda", "cpu", "recorded"};
};

// What takes the time of executions on such a device, as trials record it.
constexpr std::string_view timer_of(DeviceKind kind) {
  return kind == DeviceKind::cuda ? "cuda_event" : "steady_clock";
}

}  // namespace tailwave
