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
};

// The value of a term over whole numbers that are not negative; "(n + B - 1) / B" and its like are ceil_div(n, B). Empty
// where a part of it has no meaning.
std::optional<Polynomial> to_polynomial(const CTerm& term, NameMeanings& names);

}  // namespace tailwave
