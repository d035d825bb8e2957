#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bootstrap.h"
#include "core/enum_names.h"
#include "core/statistics.h"

namespace tailwave {

// What not being shown to be slower is worth. `tied` is said only where the samples show that little is lost by
// taking it: the interval of its ratio to the best reaches no higher than kTiedWithin above 1, or the margin if that
// is more; never with fewer than kFewestSamples on either side. It is `unclear` where they leave more open than that.
enum class Standing { best, tied, unclear, slower };

template <>
struct EnumNames<Standing> {
  static constexpr std::string_view noun = "standing";
  static constexpr std::array<std::string_view, 4> names{"best", "tied", "unclear", "slower"};
};

inline constexpr double kTiedWithin = 0.1;

struct BesideBest {
  Standing standing = Standing::unclear;
  double ratio = 1;                  // of its median to that of the best
  std::optional<Interval> interval;  // ratio_interval() at options.level; of the best 1 to 1
};

// tied_with_best(), told apart further; of what that calls slower, what is so by no more than untold_share() may still be
// the best. A series that is slower has an interval only where `wanted` is true: they take most of the time. Throws as
// above.
std::vector<BesideBest> compare_with_best(const std::vector<Series>& all, const std::vector<bool>& wanted,
                                          const TieOptions& options = {});

}  // namespace tailwave
