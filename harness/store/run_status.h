#pragma once

#include <array>
#include <string_view>

#include "core/enum_names.h"

namespace tailwave {

// A run killed outright stays `running`.
enum class RunStatus { running, done, interrupted, failed };

template <>
struct EnumNames<RunStatus> {
  static constexpr std::string_view noun = "status of a run";
  static constexpr std::array<std::string_view, 4> names{"running", "done", "interrupted", "failed"};
};

// Why a search ended: its budget was spent, its space has nothing left, the user asked, its strategy failed, or going on was
// not expected to gain enough.
enum class SearchEnd { budget, space, interrupt, strategy, until };

template <>
struct EnumNames<SearchEnd> {
  static constexpr std::string_view noun = "end of a search";
  static constexpr std::array<std::string_view, 5> names{"budget", "space", "interrupt", "strategy", "until"};
};

}  // namespace tailwave
