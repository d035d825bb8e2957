#pragma once

#include <string_view>

namespace tailwave {

// In the detail of a launch_failed that hands over other arguments than the kernel takes: so many, or one of another kind.
// next_step() knows it by them (core/outcome.h).
inline constexpr std::string_view kOtherArguments = " arguments, not ", kOtherArgument = " is given ";

}  // namespace tailwave
