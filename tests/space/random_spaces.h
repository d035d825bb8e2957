#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "space/parameter_space.h"

namespace tailwave {

// The numbers 0 to count - 1.
inline std::vector<Value> numbers_below(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

// Up to 6 parameters of up to 5 values, and up to 5 constraints of one to four of them, some of which cannot be
// satisfied.
inline ParameterSpace random_space(Generator& random) {
  std::vector<Parameter> parameters;
  for (std::uint32_t i = 0; i <= random.below(6); ++i)
    parameters.push_back({fmt::format("P{}", i), numbers_below(1 + random.below(5))});
  const auto any_name = [&] {
    return parameters[random.below(static_cast<std::uint32_t>(parameters.size()))].name;
  };
  std::vector<Expression> constraints;
  for (std::uint32_t i = random.below(6); i > 0; --i) {
    std::string sum = any_name();
    for (std::uint32_t more = random.below(4); more > 0; --more)
      sum += fmt::format(" + {} * {}", 1 + random.below(3), any_name());
    const std::uint32_t divisor = 2 + random.below(4);
    constraints.push_back(random.below(2) == 0
                              ? Expression::parse(fmt::format("({}) % {} != 0", sum, divisor))
                              : Expression::parse(fmt::format("{} <= {}", sum, random.below(12))));
  }
  return {std::move(parameters), std::move(constraints)};
}

// The sum over the cells of squared deviations from what is expected where all are equally likely, over that.
inline double chi_square(const std::vector<std::size_t>& counts, std::size_t draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::size_t count : counts)
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) / expected;
  return sum;
}

}  // namespace tailwave
