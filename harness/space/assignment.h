#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "space/constraint_memo.h"
#include "space/operand.h"
#include "space/parameter_space.h"

namespace tailwave {

// Values given to the parameters of a space one after another, in their order, and what the constraints say of them
// so far.
class Assignment {
 public:
  explicit Assignment(const ParameterSpace& space);  // kept by reference

  // The value index of each parameter.
  [[nodiscard]] const std::vector<std::uint32_t>& indices() const { return indices_; }

  // Whether the constraints hold that name no parameter.
  bool possible() { return allowed(0); }
  // Gives parameters()[level], when all before it have a value, its index-th one: whether the constraints hold that
  // are decided by now. Throws ExpressionError as ParameterSpace::for_each() does.
  bool give(std::size_t level, std::uint32_t index);
  // Gives all parameters a value: whether the space has this configuration.
  bool give_all(std::span<const std::uint32_t> indices);
  // Goes on to the next configuration that the constraints allow, at first to the first one, in the order of
  // for_each(). False for good when there is none left, or when `stop`, asked each kGivenBetween values, says so.
  bool advance(const std::function<bool()>& stop = {});

  static constexpr int kGivenBetween = 64;

 private:
  bool allowed(std::size_t level);
  [[nodiscard]] bool holds(std::uint32_t constraint) const;

  const ParameterSpace& space_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::vector<Operand>> values_;   // by parameter; they refer to texts of the space
  std::vector<std::vector<Operand>> slots_;    // by constraint
  std::vector<ConstraintMemo> known_answers_;  // by constraint
  bool has_begun_ = false, is_at_end_ = false;
  int given_ = 0;
};

}  // namespace tailwave
