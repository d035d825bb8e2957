#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bootstrap.h"
#include "core/configuration.h"
#include "interchange/size_axes.h"
#include "interchange/wave_fit.h"

namespace tailwave {

// What a program may choose for a problem that was not measured without being slower than with the default
// configuration: what is known of a few configurations beside the default, on the problems that were measured.

// A configuration on its problem on one GPU.
struct GpuResult {
  std::string gpu;  // its UUID
  bool failed = false;
  Series costs;  // less is better; any unit that is the same for all configurations of a problem
};

struct ChoiceTrial {
  Configuration configuration;
  std::string unverified;       // as of a Trial
  std::vector<GpuResult> gpus;  // of one model
  // Of its main launch; none where it is not known.
  std::optional<double> blocks;
  std::optional<WaveSlots> slots;
  double overhang = 1;  // of its grid, as known_grids() has it
};

// log(cost), where a configuration is known to be better than the default, and of the default where it was measured.
inline constexpr double kUnknownCost = 1e30;

struct SafeCandidate {
  Configuration configuration;  // without a problem
  std::string unverified;
  WaveSlots slots;
  double filling = 0;         // of wave_time(); 0: without waves
  double overhang_power = 0;  // of WaveFit
  // By problem: less the logarithm of what waves and overhang say, or kUnknownCost.
  std::vector<double> log_costs;
};

struct SafeChoice {
  std::vector<Values> problems;           // sorted
  SizeAxes axes;                          // of these
  std::vector<SafeCandidate> candidates;  // the first is the default; empty: nothing is known
};

// A header has so many configurations beside the default at most, so that it answers within a microsecond.
inline constexpr std::size_t kMostSafeCandidates = 16;
// Axes with several places: each doubles the problems that a size lies between.
inline constexpr std::size_t kMostAxes = 5;

// Better: the interval of the ratio of the costs (ratio_interval(), 95 %) on all GPUs together is below 1, the
// configuration failed on none, and on none is the interval above 1. Candidates are, of all configurations or of those of
// `kept` (without a problem), the best of what is better on each problem; of more than kMostSafeCandidates those that are
// the best of most problems. Waves count where blocks and slots are known of a configuration on all its problems, its
// slots are the same on all, and fit_waves() finds that they explain something. Empty where the default was not measured, or
// where problems have different quantities or more axes than kMostAxes.
SafeChoice safe_choice(const std::vector<ChoiceTrial>& trials, const Configuration& standard,
                       const std::vector<Configuration>& kept = {});

}  // namespace tailwave
