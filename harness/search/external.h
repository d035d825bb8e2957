#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/enum_names.h"
#include "core/error.h"
#include "search/strategy.h"

namespace tailwave {

// A strategy of the user's own: a program that is told of the space and asked for configurations in lines of JSON, which
// docs/searching.md describes. Its name is this and a command for /bin/sh.
inline constexpr std::string_view kExternal = "external:";

// `command`: after the prefix.
StrategyKind external_strategy(const std::string& command);

// What went wrong with such a program: it ended, gave no answer in time, one that is no JSON, one that is no list of
// configurations, or nothing but invalid configurations.
enum class StrategyFault { ended, deadline, no_json, no_list, refused };

template <>
struct EnumNames<StrategyFault> {
  static constexpr std::string_view noun = "fault of a strategy";
  static constexpr std::array<std::string_view, 5> names{"ended", "deadline", "no_json", "no_list",
                                                         "refused"};
};

// Thrown by Strategy::ask(), which is not to be called again then; costs can still be told.
class StrategyFailure : public Error {
 public:
  StrategyFailure(StrategyFault fault, const Diagnostic& diagnostic)
      : Error(diagnostic, kRunFailed), fault_(fault) {}

  [[nodiscard]] StrategyFault fault() const noexcept { return fault_; }

 private:
  StrategyFault fault_;
};

}  // namespace tailwave
