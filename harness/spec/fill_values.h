#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "spec/system.h"

namespace tailwave {

// The amounts of a fill, evaluated.
struct FillValues {
  double low = 0, high = 0;              // uniform; constant: both its value; normal: mean and deviation
  std::int64_t least = 0, greatest = 0;  // integers
  std::uint64_t seed = 0;
  Expression element;  // generated: over `i` alone

  bool operator==(const FillValues& other) const {
    return low == other.low && high == other.high && least == other.least && greatest == other.greatest &&
           seed == other.seed && element.text() == other.element.text();
  }
};

// An amount that makes no sense, e.g. one that the buffer's type cannot hold. `key`: of the fill; empty: of several.
class FillError : public std::runtime_error {
 public:
  FillError(std::string of, const std::string& cause) : std::runtime_error(cause), key(std::move(of)) {}
  std::string key;
};

// For a buffer of so many scalars. Throws FillError and ExpressionError.
FillValues evaluate_fill(const BufferSpec& buffer, std::int64_t count, const Values& scope);

}  // namespace tailwave
