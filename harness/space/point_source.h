#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/random.h"
#include "space/large_space.h"

namespace tailwave {

// The valid configurations of a space that is too large to be listed, as rows of value numbers. All may throw
// ExpressionError, as ParameterSpace::for_each().
class PointSource {
 public:
  using Row = std::vector<std::uint16_t>;

  virtual ~PointSource() = default;
  [[nodiscard]] virtual Count count() const = 0;
  virtual bool has(std::span<const std::uint16_t> row) = 0;
  // Any of them, as equally likely as can be. False where none was found.
  virtual bool draw(Generator& random, Row& row) = 0;
  // Puts one after another into its argument, in the order of enumeration; false at their end. Usable as long as the
  // source.
  virtual std::function<bool(Row&)> in_order() = 0;
};

}  // namespace tailwave
