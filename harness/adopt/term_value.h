#pragma once

#include <optional>
#include <string>

#include "adopt/c_term.h"
#include "adopt/polynomial.h"

namespace tailwave {

// What a name stands for; empty: nobody knows. "sizeof x" is asked for where x is no type of C++ or CUDA.
class NameMeanings {
 public:
  NameMeanings() = default;
  NameMeanings(const NameMeanings&) = delete;
  NameMeanings& operator=(const NameMeanings&) = delete;
  virtual ~NameMeanings() = default;
  virtual std::optional<Polynomial> meaning(const std::string& name) = 0;
  // Whether it is one of the source's own types for numbers.
  virtual bool is_type(const std::string& /*name*/) { return false; }
  // What a call of the source's own function is, where that returns a value at once.
  virtual std::optional<CTerm> returned_by(const CTerm& /*call*/) { return std::nullopt; }
};

// The value of a term over whole numbers that are not negative; "(n + B - 1) / B" and its like are ceil_div(n, B). Empty
// where a part of it has no meaning.
std::optional<Polynomial> to_polynomial(const CTerm& term, NameMeanings& names);

// Whether a condition holds whatever names without a number are; empty: that depends on them.
std::optional<bool> holds_always(const CTerm& condition, NameMeanings& names);

}  // namespace tailwave
