#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "search/replay.h"

namespace tailwave {

// How long each configuration of a recorded space might have taken to build, where the recording does not tell: the
// logarithms are drawn from a normal distribution, so that a few builds take several times as long as most. Half their variance
// comes from the values of parameters, since what is unrolled takes long with anything else, and half from the
// configuration itself. The same seed gives the same times.
class BuildTimes {
 public:
  static constexpr double kMedianS = 1.8;
  static constexpr double kSpread = 5;       // the 95 % quantile over the 5 % one
  static constexpr double kMeasureS = 0.05;  // what measuring any of them takes

  BuildTimes(const SearchSpace& space, std::uint64_t seed);

  [[nodiscard]] double seconds(Point point) const;

 private:
  const SearchSpace* space_;
  std::uint64_t seed_;
  std::vector<std::vector<double>> of_values_;  // by parameter and value, standard normal
};

// In what order what is built is measured, and so costs are told.
enum class TellingOrder { asked, built };

template <>
struct EnumNames<TellingOrder> {
  static constexpr std::string_view noun = "order";
  static constexpr std::array<std::string_view, 2> names{"asked", "built"};
};

// The processes that build ahead of one device.
struct BuildReplay {
  std::size_t processes = 1;
  TellingOrder order = TellingOrder::built;
  std::function<double(Point)> build_s, measure_s;
};

// One evaluation and when it went through what, in seconds since the search began.
struct TimedEvaluation {
  Point point = 0;
  double asked_s = 0, build_begun_s = 0, built_s = 0;
  double told_s = 0;  // its cost, when it was measured
};

// replay() as `tailwave tune` does it with a budget of evaluations: points_ahead() of what is measured points are
// asked for, each process builds one at a time in the order of asking, the device measures one that is built at a
// time, and the strategy is told its cost then. The evaluations in the order of telling.
std::vector<TimedEvaluation> replay_builds(
    const RecordedSpace& recorded, const StrategyKind& kind, const StrategyOptions& options,
    std::uint64_t seed, std::size_t evaluations, const BuildReplay& builds,
    const std::function<bool()>& stop_requested = [] { return false; });

}  // namespace tailwave
