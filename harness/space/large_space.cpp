#include "space/large_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tailwave {
namespace {

// Sets of parameters that no constraint connects with another one, each with its constraints.
std::vector<ParameterSpace> groups_of(const ParameterSpace& space) {
  std::vector<std::size_t> group(space.parameters().size());  // of each parameter
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < space.constraints().size(); ++i) {
    const std::vector<std::size_t> named = space.parameters_of(i);
    for (const std::size_t place : named) {
      const auto [first, last] = std::minmax({group[named.front()], group[place]});
      std::replace(group.begin(), group.end(), std::size_t{last}, std::size_t{first});
    }
  }
  std::vector<ParameterSpace> groups;
  for (std::size_t own = 0; own < group.size(); ++own) {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < group.size(); ++i)
      if (group[i] == own) parameters.push_back(space.parameters()[i]);
    std::vector<Expression> constraints;
    for (std::size_t i = 0; i < space.constraints().size(); ++i) {
      const std::vector<std::size_t> named = space.parameters_of(i);
      const bool is_here = named.empty() ? own == 0 : group[named.front()] == own;
      if (is_here) constraints.push_back(space.constraints()[i]);
    }
    if (!parameters.empty())
      groups.emplace_back(std::move(parameters), std::move(constraints), space.fixed());
  }
  return groups;
}

// True once it was asked so often that a walk has tried so many values.
class AfterGiving {
 public:
  explicit AfterGiving(std::size_t most) : left_(most / Assignment::kGivenBetween) {}
  bool operator()() { return left_-- == 0; }

 private:
  std::size_t left_;
};

Count count_of(const ParameterSpace& group) {
  const CountedTree tree(group);
  if (tree.is_exact()) return {tree.size()};
  double number = 0;
  const bool is_all = group.for_each(
      [&](const auto&) {
        ++number;
        return true;
      },
      AfterGiving(LargeSpace::kMostCounted));
  return {number, is_all};
}

}  // namespace

std::int64_t Count::whole() const {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return number < static_cast<double>(kMost) ? std::llround(number) : kMost;
}

std::string to_string(const Count& count) {
  constexpr double kMostDigits = 1e15;
  const std::string number =
      count.number < kMostDigits ? std::to_string(count.whole()) : fmt::format("{:.3g}", count.number);
  if (!count.is_exact) return "at least " + number;
  return count.number < kMostDigits ? number : "about " + number;
}

Count operator+(const Count& one, const Count& other) {
  return {one.number + other.number, one.is_exact && other.is_exact};
}

bool has_more_than(const ParameterSpace& space, double number) {
  if (space.cartesian_size() <= number) return false;
  const CountedTree tree(space);
  return tree.is_exact() && tree.size() > number;
}

LargeSpace::LargeSpace(ParameterSpace space)
    : space_(std::make_unique<const ParameterSpace>(std::move(space))), tree_(*space_), checked_(*space_) {}

Count LargeSpace::count() const {
  if (tree_.is_exact()) return {tree_.size()};
  Count product{1};
  for (const ParameterSpace& group : groups_of(*space_)) {
    const Count own = count_of(group);
    product = {product.number * own.number, product.is_exact && own.is_exact};
    if (own.is_exact && own.number == 0) return {0};
  }
  return product;
}

bool LargeSpace::draw(Generator& random, std::vector<std::uint32_t>& indices) {
  tree_.draw(random, indices);
  return tree_.is_exact() || has(indices);
}

bool LargeSpace::search(Generator& random, std::vector<std::uint32_t>& indices) {
  // Where one walk has lost its way, another order of values and parameters may rule other things out first: many short
  // walks, then longer ones.
  std::vector<std::size_t> order(space_->parameters().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::size_t kShortest = 4096, kOfALength = 8;
  std::size_t length = kShortest, left = kMostCounted;
  for (std::size_t attempt = 0; left >= length; ++attempt) {
    if (attempt > 0 && attempt % kOfALength == 0) length *= 2;
    left -= std::min(left, length);
    std::vector<Parameter> parameters;
    std::vector<std::vector<std::uint32_t>> shuffled;
    for (const std::size_t place : order) {
      const Parameter& own = space_->parameters()[place];
      std::vector<std::uint32_t>& values = shuffled.emplace_back(own.values.size());
      std::iota(values.begin(), values.end(), std::uint32_t{0});
      shuffle(values, random);
      Parameter& parameter = parameters.emplace_back(Parameter{own.name, {}});
      for (const std::uint32_t value : values) parameter.values.push_back(own.values[value]);
    }
    const ParameterSpace same(std::move(parameters), space_->constraints(), space_->fixed());
    Assignment walk(same);
    indices.resize(order.size());
    const auto finds_one = [&] {
      if (!walk.advance(AfterGiving(length))) return false;
      for (std::size_t level = 0; level < order.size(); ++level)
        indices[order[level]] = shuffled[level][walk.indices()[level]];
      return has(indices);
    };
    try {
      if (finds_one()) return true;
    } catch (const ExpressionError&) {
      // In the space's own order of parameters another constraint may rule this out before it is evaluated.
      if (attempt == 0) throw;
    }
    shuffle(order, random);
  }
  return false;
}

}  // namespace tailwave
