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

}  // namespace tailwave
