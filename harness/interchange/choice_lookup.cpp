#include "interchange/choice_lookup.h"

namespace tailwave {

const std::string_view kChoiceStruct = R"(
// What choose() takes.
struct Choice {
  Configuration configuration;
  bool is_default = true;            // nothing else is known to be better
  std::string_view unverified = {};  // as of an Entry
};
)";

const std::string_view kNumberOfVariant = R"(
inline int number_of(std::string_view variant) {
  int number = 0;
  for (const std::string_view one : variants) {
    if (one == variant) return number;
    ++number;
  }
  return -1;
}
)";

const std::string_view kFits = R"(
// Whether a configuration is made for a problem: what its variant requires holds, and so do the constraints of the experiment
// on its parameters, those of its latest run. False for all of a variant where one of these cannot be said in C++, also
// for what was measured at this very size. Nothing says that the default fits, or what best() has for another size.
inline bool fits(const Problem& problem, const Configuration& configuration) {
  return detail::fits(detail::number_of(configuration.variant), problem, configuration);
}
)";

const std::string_view kOverhang = R"(
inline double overhang_of(double needed, double full) {
  return full >= 1 && full < needed && needed <= kLargestExact ? needed / full : 1.0;
}
)";

const std::string_view kChoiceTables = R"(
// The quantities that grow together, and their values where something was measured, place by place.
struct Axis {
  int first_quantity, quantities, first_place, places;
  bool between;  // there is something between two places
};
struct Candidate {
  Configuration configuration;
  int variant;
  double slots, sms, filling;  // of waves; filling 0: none
  double overhang_power;       // 0: none
  std::string_view unverified;
};
// What is known on a device. The first candidate is the default.
struct Known {
  Device device;
  int first_axis, axes, first_key, points, first_candidate, candidates, first_cost;
};
// The cost of what is not known to be better than the default.
constexpr double kUnknown = 1e30;
)";

const std::string_view kChoose = R"(
// By how much log(cost) has to be below that of the default: -log(0.99).
constexpr double kMargin = 0.01005;

inline double coordinate(double value) {
  const double size = std::fabs(value);
  return size <= 1 ? value : std::copysign(1 + std::log(size), value);
}

// Relative time of a grid in waves.
inline double wave_time(double grid, const Candidate& of) {
  const double full = std::floor(grid / of.slots), rest = grid - full * of.slots;
  const double last = rest > 0 ? std::max(1.0, std::ceil(rest / of.sms) / of.filling) : 0;
  return full * std::max(1.0, of.slots / of.sms / of.filling) + last;
}

// Where a size is on an axis: at a place, or between it and the next one. False where it is neither.
inline bool find_place(const Axis& axis, const double* sizes, int& place, double& above) {
  const int* own = quantities + axis.first_quantity;
  const int step = axis.quantities;
  place = 0;
  for (int end = axis.places; end - place > 1;) {
    const int middle = place + (end - place) / 2;
    (places[axis.first_place + middle * step] <= sizes[own[0]] ? place : end) = middle;
  }
  const double* const at = places + axis.first_place + place * step;
  bool there = true;
  for (int i = 0; i < step; ++i) there = there && at[i] == sizes[own[i]];
  above = 0;
  if (there) return true;
  if (!axis.between || place + 1 == axis.places) return false;
  for (int i = 0; i < step; ++i) {
    const double size = sizes[own[i]], low = at[i], high = at[step + i];
    if (!(low < size && size < high)) return false;
    const double from = coordinate(low);
    const double part = (coordinate(size) - from) / (coordinate(high) - from);
    if (i == 0) above = std::max(part, 1e-12);  // between, however close
    if (std::fabs(part - above) > 1e-3) return false;
  }
  return true;
}

// The measured problems that a size lies between, and how much each counts.
struct Corners {
  int count = 1;
  std::int64_t keys[kMostCorners] = {};
  int points[kMostCorners] = {};
  double weights[kMostCorners] = {1};
};

inline void add_axis(Corners& corners, const Axis& axis, int place, double above) {
  const int count = corners.count;
  for (int i = 0; i < count; ++i) corners.keys[i] = corners.keys[i] * axis.places + place;
  if (above == 0 || 2 * count > kMostCorners) return;  // there are no more, which compilers do not see
  for (int i = 0; i < count; ++i) {
    corners.keys[count + i] = corners.keys[i] + 1;
    corners.weights[count + i] = corners.weights[i] * above;
    corners.weights[i] *= 1 - above;
  }
  corners.count = 2 * count;
}

// False where one of them was not measured.
inline bool find_corners(const Known& known, const Problem& problem, Corners& corners) {
  double sizes[kQuantities] = {};
  set_sizes(problem, sizes);
  for (int i = 0; i < known.axes; ++i) {
    const Axis& axis = axes[known.first_axis + i];
    int place = 0;
    double above = 0;
    if (!find_place(axis, sizes, place, above)) return false;
    add_axis(corners, axis, place, above);
  }
  const std::int64_t* const first = keys + known.first_key;
  const std::int64_t* const end = first + known.points;
  for (int i = 0; i < corners.count; ++i) {
    const std::int64_t* const found = std::lower_bound(first, end, corners.keys[i]);
    if (found == end || *found != corners.keys[i]) return false;
    corners.points[i] = static_cast<int>(found - first);
  }
  return true;
}

// What of log(cost) of a candidate waves and overhang say; kUnknown where they say nothing.
inline double stepwise(const Candidate& own, const Problem& problem) {
  double sum = 0;
  if (own.overhang_power > 0) sum += own.overhang_power * std::log(overhang(own.variant, problem, own.configuration));
  if (own.filling == 0) return sum;
  const double grid = blocks(own.variant, problem, own.configuration);
  return grid >= 1 && grid <= kLargestExact ? sum + std::log(wave_time(grid, own)) : kUnknown;
}

// log(cost) of a candidate of a device over that of the default, from those of the corners.
struct Predicted {
  double cost = 0;
  double worst = -kUnknown;  // as at the corner where it is the most
};

// False where one of them is not known. `steps`: what waves and overhang say of the default.
inline bool predict(const Known& known, int number, const Problem& problem, const Corners& corners, double steps,
                    Predicted& predicted) {
  const double* const of_default = log_costs + known.first_cost;
  const double* const costs = of_default + number * known.points;
  for (int i = 0; i < corners.count; ++i) {
    const double cost = costs[corners.points[i]] - of_default[corners.points[i]];
    if (costs[corners.points[i]] >= kUnknown) return false;
    predicted.cost += corners.weights[i] * cost;
    predicted.worst = std::max(predicted.worst, cost);
  }
  const double own = stepwise(candidates[known.first_candidate + number], problem);
  predicted.cost += own - steps;
  predicted.worst += own - steps;
  return own < kUnknown;
}

inline Choice choose_on(const Known& known, const Problem& problem) {
  Choice choice{default_configuration, true, candidates[known.first_candidate].unverified};
  Corners corners;
  if (!find_corners(known, problem, corners)) return choice;
  const bool measured = corners.count == 1;
  const double steps = stepwise(candidates[known.first_candidate], problem);
  if (steps >= kUnknown) return choice;
  double least = 0;
  for (int i = 1; i < known.candidates; ++i) {
    Predicted predicted;
    if (!predict(known, i, problem, corners, steps, predicted) || !(predicted.cost < least)) continue;
    const Candidate& own = candidates[known.first_candidate + i];
    if (!measured && !(predicted.worst < -kMargin && fits(own.variant, problem, own.configuration))) continue;
    least = predicted.cost;
    choice = {own.configuration, false, own.unverified};
  }
  return choice;
}

}  // namespace detail

// The configuration for a problem on the device of this name: where it was measured, or lies between problems that were,
// one that was better than the default on all of these and is predicted to be here; else the default. Where no device has
// the name and these are not 0, those of a device of the same compute capability with as many SMs.
inline Choice choose(std::string_view device_name, const Problem& problem, int compute_capability = 0, int sms = 0) {
  for (const detail::Known& known : detail::tables)
    if (known.device.name == device_name) return detail::choose_on(known, problem);
  if (compute_capability > 0 && sms > 0)
    for (const detail::Known& known : detail::tables)
      if (known.device.compute_capability == compute_capability && known.device.sms == sms)
        return detail::choose_on(known, problem);
  return {default_configuration, true, {}};
}
)";

}  // namespace tailwave
