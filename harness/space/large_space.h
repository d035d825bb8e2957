#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "space/counted_tree.h"
#include "space/parameter_space.h"

namespace tailwave {

// A number of configurations: theirs, or a lower bound. Without rounding below 2^53.
struct Count {
  double number = 0;
  bool is_exact = true;

  // 64-bit integers end at 9.2e18.
  [[nodiscard]] std::int64_t whole() const;
};
// "816293376000", "at least 5000000"; from 1e15 on "about 8.16e+20".
std::string to_string(const Count& count);
Count operator+(const Count& one, const Count& other);

// Whether it is known without going through it that a space has more configurations than this.
bool has_more_than(const ParameterSpace& space, double number);

// A space that is too large to be listed: its configurations are counted, drawn and looked up without walking through
// it.
class LargeSpace {
 public:
  explicit LargeSpace(ParameterSpace space);

  [[nodiscard]] const ParameterSpace& space() const { return *space_; }

  // Of each group of parameters that constraints connect: as CountedTree counts it; where that leaves constraints
  // out, what a walk finds within kMostCounted values that it tries, a lower bound. The groups' counts multiplied.
  [[nodiscard]] Count count() const;
  static constexpr std::size_t kMostCounted = 3'000'000;

  // An upper bound, which draws are made from: CountedTree::size().
  [[nodiscard]] double tree_size() const { return tree_.size(); }
  // Whether it has what these value indices say. Throws ExpressionError for a constraint that cannot be evaluated, as
  // for_each().
  bool has(std::span<const std::uint32_t> indices) { return checked_.give_all(indices); }
  // Draws one of the tree, each equally likely: false where constraints that the tree leaves out rule it out. So
  // those that are left are equally likely, too. tree_size() must not be 0.
  bool draw(Generator& random, std::vector<std::uint32_t>& indices);
  // One that is found by going through the values of each parameter in random order, within kMostCounted values: for
  // a space of which hardly any draw succeeds. Not all are equally likely. False where none is found.
  bool search(Generator& random, std::vector<std::uint32_t>& indices);

 private:
  std::unique_ptr<const ParameterSpace> space_;  // where it is, the others find it
  CountedTree tree_;
  Assignment checked_;
};

}  // namespace tailwave
