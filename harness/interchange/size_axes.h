#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/value.h"

namespace tailwave {

// The problems that were measured as places on axes, so that it can be said between which of them another one lies. An
// axis has all quantities that grow together (M = N = K is one axis, of sizes that were all cubes), so that between two
// such sizes are only sizes of that shape.
struct SizeAxis {
  std::vector<std::string> quantities;     // at least one
  std::vector<std::vector<Value>> places;  // ascending; of each quantity its value there
  bool between = false;                    // numbers: there is something between two places
};

struct SizeAxes {
  std::vector<SizeAxis> axes;
  std::vector<std::vector<std::size_t>> points;  // of each problem: its place on each axis

  // The number of a point among all combinations of places: the last axis counts fastest.
  [[nodiscard]] std::int64_t key(const std::vector<std::size_t>& point) const;
  [[nodiscard]] double combinations() const;  // of places
};

using Quantities = std::set<std::string>;
Quantities quantity_names(const Values& problem);
// Whether each of the problems has these.
bool has_quantities(const std::vector<Values>& problems, const Quantities& quantities);

// Of different problems that have the same quantities. Throws std::invalid_argument where they have not.
SizeAxes size_axes(const std::vector<Values>& problems);

// A problem between two others that differ from it on one axis alone, each at the place beside its own. By numbers of
// problems.
struct Between {
  std::size_t low = 0, middle = 0, high = 0;
  std::size_t axis = 0;
  double above =
      0;  // how far it is from the lower one to the higher one, 0 to 1, as size_coordinate() has it
};
std::vector<Between> all_between(const SizeAxes& sizes);

// Where a number is on its axis: a logarithm, since times are mostly powers of sizes, but for -1 to 1, which has zero in it.
double size_coordinate(double value);

}  // namespace tailwave
