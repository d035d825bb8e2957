#include "space/parameter_space.h"

#include <algorithm>

#include "core/error.h"
#include "space/assignment.h"

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
        if (combinations > ConstraintMemo::kMostEntries) break;
      }
      if (combinations > ConstraintMemo::kMostEntries || combinations >= assignments) continue;
      table.combinations = static_cast<std::size_t>(combinations);
      tables_[constraint] = std::move(table);
    }
  }
}

std::vector<std::size_t> ParameterSpace::parameters_of(std::size_t constraint) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const auto is_here = [&](const Use& use) { return use.constraint == constraint; };
    if (std::any_of(uses_[i].begin(), uses_[i].end(), is_here)) places.push_back(i);
  }
  return places;
}

double ParameterSpace::cartesian_size() const {
  double size = 1;
  for (const Parameter& parameter : parameters_) size *= static_cast<double>(parameter.values.size());
  return size;
}

bool ParameterSpace::for_each(const std::function<bool(const std::vector<std::uint32_t>&)>& visit,
                              const std::function<bool()>& stop) const {
  Assignment assignment(*this);
  bool stopped = false;
  const auto asked = [&] { return stopped = stop(); };
  while (stop ? assignment.advance(asked) : assignment.advance())
    if (!visit(assignment.indices())) return false;
  return !stopped;
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
