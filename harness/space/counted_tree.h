#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "space/assignment.h"
#include "space/parameter_space.h"

namespace tailwave {

// The configurations of a space as a tree that is counted without walking through it: how many there are below a
// choice of values depends only on those values that constraints still to be decided name, so each combination of
// these is counted once. Parameters are put in an order that keeps these combinations few; so parameters that no
// constraint connects are counted by themselves, and the counts multiplied.
//
// What `and` joins in a constraint counts as several (conjuncts()), but where one of these cannot be evaluated without
// another. Where a walk could not evaluate a constraint, a part of it may have ruled that out here before.
// Constraints that couple too many values to be counted within kMostGiven, the widest first, are left out, as is one
// that cannot be evaluated for some values: the tree then has more than the space does.
class CountedTree {
 public:
  static constexpr std::size_t kMostGiven = 1'000'000;  // values that may be tried while it is counted

  explicit CountedTree(const ParameterSpace& whole);

  // Without rounding below 2^53. At least what the space has.
  [[nodiscard]] double size() const { return size_; }
  // It has what the space has.
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  // A configuration of the tree, each equally likely, one value index per parameter in the space's order. size() must
  // not be 0.
  void draw(Generator& random, std::vector<std::uint32_t>& indices);

 private:
  struct Level {
    bool is_free = false;            // no constraint names its parameter
    std::vector<std::size_t> named;  // levels above whose values later constraints name
    std::vector<std::uint64_t> strides;
    std::unordered_map<std::uint64_t, double> counts;  // below each combination of their values
  };

  void lay_out(const ParameterSpace& space, const std::vector<std::size_t>& constraints);
  [[nodiscard]] double work() const;
  bool count();
  double count_below(std::size_t level);
  [[nodiscard]] std::uint64_t key_of(std::size_t level) const;

  std::vector<std::size_t> order_;             // by level: the place in the space's parameters
  std::unique_ptr<const ParameterSpace> own_;  // in that order, with the constraints that are counted
  std::unique_ptr<Assignment> assignment_;     // of own_
  std::vector<Level> levels_;
  std::size_t given_ = 0;
  double size_ = 0;
  bool is_exact_ = true;
};

}  // namespace tailwave
