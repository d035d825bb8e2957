#include "space/parameter_space.h"

#include <algorithm>

#include "core/error.h"
#include "space/evaluator.h"
#include "space/verdicts.h"

namespace tailwave {
namespace {

[[noreturn]] void fail_unknown(const Expression& constraint, const std::string& name,
                               const std::vector<std::string>& known) {
  const std::string suggestion = nearest(name, known);
  throw ExpressionError("unknown parameter '" + name + "'", constraint.column_of(name),
                        suggestion.empty() ? "" : "did you mean '" + suggestion + "'?", constraint.text());
}

}  // namespace

ParameterSpace::ParameterSpace(std::vector<Parameter> parameters, std::vector<Expression> constraints,
                               Values fixed)
    : parameters_(std::move(parameters)),
      constraints_(std::move(constraints)),
      fixed_(std::move(fixed)),
      uses_(parameters_.size()),
      tested_at_(parameters_.size() + 1) {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters_) known.push_back(parameter.name);
  for (const auto& entry : fixed_) known.push_back(entry.first);
  for (std::uint32_t i = 0; i < constraints_.size(); ++i) {
    const std::vector<std::string>& names = constraints_[i].names();
    std::vector<Value>& slots = initial_slots_.emplace_back(names.size());
    std::size_t level = 0;
    for (std::uint32_t slot = 0; slot < names.size(); ++slot) {
      const auto end = known.begin() + static_cast<std::ptrdiff_t>(parameters_.size());
      const auto parameter = std::find(known.begin(), end, names[slot]);
      if (parameter != end) {
        const auto index = static_cast<std::size_t>(parameter - known.begin());
        uses_[index].push_back({i, slot});
        level = std::max(level, index + 1);
      } else if (const auto value = fixed_.find(names[slot]); value != fixed_.end()) {
        slots[slot] = value->second;
      } else {
        fail_unknown(constraints_[i], names[slot], known);
      }
    }
    tested_at_[level].push_back(i);
  }
  lay_out_tables();
}

void ParameterSpace::lay_out_tables() {
  tables_.resize(constraints_.size());
  for (std::size_t level = 1; level < tested_at_.size(); ++level) {
    for (const std::uint32_t constraint : tested_at_[level]) {
      Table table;
      double combinations = 1, assignments = 1;
      for (std::size_t i = 0; i < level; ++i) {
        const std::size_t count = parameters_[i].values.size();
        assignments *= static_cast<double>(count);
        const bool named = std::any_of(uses_[i].begin(), uses_[i].end(),
                                       [&](const Use& use) { return use.constraint == constraint; });
        if (!named) continue;
        table.parameters.push_back(i);
        table.strides.push_back(static_cast<std::size_t>(combinations));
        combinations *= static_cast<double>(count);
        if (combinations > Verdicts::kMostEntries) break;
      }
      if (combinations > Verdicts::kMostEntries || combinations >= assignments) continue;
      table.combinations = static_cast<std::size_t>(combinations);
      tables_[constraint] = std::move(table);
    }
  }
}

double ParameterSpace::cartesian_size() const {
  double size = 1;
  for (const Parameter& parameter : parameters_) size *= static_cast<double>(parameter.values.size());
  return size;
}

// One depth-first walk: the value index of each parameter and each constraint's operands so far. Operands
// refer to texts of the space, which outlives the walk.
class ParameterSpace::Walk {
 public:
  Walk(const ParameterSpace& space, const std::function<bool(const std::vector<std::uint32_t>&)>& visit)
      : space_(space), visit_(visit), indices_(space.parameters_.size()) {
    for (const Parameter& parameter : space.parameters_) values_.push_back(operands_of(parameter.values));
    for (const std::vector<Value>& slots : space.initial_slots_) slots_.push_back(operands_of(slots));
    for (const Table& table : space.tables_) verdicts_.emplace_back(table.combinations);
  }

  void run() {
    if (allowed(0)) descend(0);
  }

 private:
  static std::vector<Operand> operands_of(const std::vector<Value>& values) {
    std::vector<Operand> operands;
    for (const Value& value : values) operands.push_back(Operand::of(value));
    return operands;
  }

  // False when `visit` asked to stop. NOLINTNEXTLINE(misc-no-recursion): as deep as there are parameters
  bool descend(std::size_t level) {
    if (level == indices_.size()) return visit_(indices_);
    const std::vector<Operand>& values = values_[level];
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      indices_[level] = i;
      for (const Use& use : space_.uses_[level]) slots_[use.constraint][use.slot] = values[i];
      if (allowed(level + 1) && !descend(level + 1)) return false;
    }
    return true;
  }

  bool allowed(std::size_t level) {
    const auto& tested = space_.tested_at_[level];
    return std::all_of(tested.begin(), tested.end(), [&](std::uint32_t constraint) {
      const Table& table = space_.tables_[constraint];
      std::size_t combination = 0;
      for (std::size_t i = 0; i < table.parameters.size(); ++i)
        combination += table.strides[i] * indices_[table.parameters[i]];
      return verdicts_[constraint].get(combination, [&] { return holds(constraint); });
    });
  }

  [[nodiscard]] bool holds(std::uint32_t constraint) const {
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

  const ParameterSpace& space_;
  const std::function<bool(const std::vector<std::uint32_t>&)>& visit_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::vector<Operand>> values_;  // by parameter
  std::vector<std::vector<Operand>> slots_;   // by constraint
  std::vector<Verdicts> verdicts_;            // by constraint
};

void ParameterSpace::for_each(const std::function<bool(const std::vector<std::uint32_t>&)>& visit) const {
  Walk(*this, visit).run();
}

std::vector<Values> ParameterSpace::enumerate() const {
  std::vector<Values> all;
  for_each([&](const std::vector<std::uint32_t>& indices) {
    Values& values = all.emplace_back();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      values.emplace(parameters_[i].name, parameters_[i].values[indices[i]]);
    }
    return true;
  });
  return all;
}

std::uint64_t ParameterSpace::count() const {
  std::uint64_t count = 0;
  for_each([&](const std::vector<std::uint32_t>&) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace tailwave
