#include "space/assignment.h"

#include <algorithm>

#include "space/evaluator.h"

namespace tailwave {
namespace {

std::vector<Operand> operands_of(const std::vector<Value>& values) {
  std::vector<Operand> operands;
  operands.reserve(values.size());
  for (const Value& value : values) operands.push_back(Operand::of(value));
  return operands;
}

}  // namespace

Assignment::Assignment(const ParameterSpace& space) : space_(space), indices_(space.parameters_.size()) {
  for (const Parameter& parameter : space.parameters_) values_.push_back(operands_of(parameter.values));
  for (const std::vector<Value>& slots : space.initial_slots_) slots_.push_back(operands_of(slots));
  for (const ParameterSpace::Table& table : space.tables_) known_answers_.emplace_back(table.combinations);
}

bool Assignment::give(std::size_t level, std::uint32_t index) {
  indices_[level] = index;
  for (const ParameterSpace::Use& use : space_.uses_[level])
    slots_[use.constraint][use.slot] = values_[level][index];
  return allowed(level + 1);
}

bool Assignment::give_all(std::span<const std::uint32_t> indices) {
  if (!possible()) return false;
  for (std::size_t level = 0; level < indices.size(); ++level)
    if (!give(level, indices[level])) return false;
  return true;
}

bool Assignment::advance(const std::function<bool()>& stop) {
  if (is_at_end_) return false;
  const std::size_t depth = indices_.size();
  const bool is_first = !has_begun_;
  has_begun_ = true;
  if (depth == 0 || (is_first && !possible())) {
    is_at_end_ = true;
    return depth == 0 && possible();
  }
  std::size_t level = is_first ? 0 : depth - 1;
  std::uint32_t index = is_first ? 0 : indices_[level] + 1;
  while (level < depth) {
    const bool is_last = index == values_[level].size();
    if ((is_last && level == 0) || (stop && ++given_ % kGivenBetween == 0 && stop())) {
      is_at_end_ = true;
      return false;
    }
    if (is_last) {
      index = indices_[--level] + 1;
    } else if (give(level, index)) {
      ++level;
      index = 0;
    } else {
      ++index;
    }
  }
  return true;
}

bool Assignment::allowed(std::size_t level) {
  const auto& tested = space_.tested_at_[level];
  return std::all_of(tested.begin(), tested.end(), [&](std::uint32_t constraint) {
    const ParameterSpace::Table& table = space_.tables_[constraint];
    std::size_t combination = 0;
    for (std::size_t i = 0; i < table.parameters.size(); ++i)
      combination += table.strides[i] * indices_[table.parameters[i]];
    return known_answers_[constraint].get(combination, [&] { return holds(constraint); });
  });
}

bool Assignment::holds(std::uint32_t constraint) const {
  const Expression& expression = space_.constraints_[constraint];
  try {
    return run_program(expression.program(), slots_[constraint]).truth();
  } catch (const ExpressionError& error) {
    Values scope;
    for (std::size_t i = 0; i < expression.names().size(); ++i)
      scope.emplace(expression.names()[i], slots_[constraint][i].value());
    throw ExpressionError(error.what() + values_of_names(expression, scope), error.column, error.hint,
                          expression.text());
  }
}

}  // namespace tailwave
