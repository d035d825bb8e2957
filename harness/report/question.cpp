#include "report/question.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tailwave {
namespace {

constexpr std::size_t kFewestOnAxis = 4;
constexpr std::size_t kMostSettings = 8;
constexpr std::size_t kFewestToTune = 20;

const Value* value_on(const StudyRow& row, const std::string& axis) {
  for (const Values* values : {&row.parameters, &row.problem})
    if (const auto found = values->find(axis); found != values->end()) return &found->second;
  return nullptr;
}

// Of each problem quantity, or of each parameter of each variant, the values that rows have.
using Axes = std::map<std::string, std::set<Value>>;

// The name with the most values, all of them positive numbers; "" where none has kFewestOnAxis.
std::string longest_of(const Axes& axes) {
  std::string name;
  std::size_t most = kFewestOnAxis - 1;
  for (const auto& [axis, values] : axes) {
    const bool numeric = std::all_of(values.begin(), values.end(), [](const Value& value) {
      return !std::holds_alternative<bool>(value) && !std::holds_alternative<std::string>(value) &&
             to_double(value) > 0;
    });
    if (!numeric || values.size() <= most) continue;
    most = values.size();
    name = axis;
  }
  return name;
}

Axes problem_axes(const std::vector<const StudyRow*>& rows) {
  Axes axes;
  for (const StudyRow* row : rows)
    for (const auto& [name, value] : row->problem) axes[name].insert(value);
  return axes;
}

// Of the variant for which a parameter has the most values.
Axes parameter_axes(const std::vector<const StudyRow*>& rows) {
  std::map<std::string, Axes> of_variants;
  for (const StudyRow* row : rows)
    for (const auto& [name, value] : row->parameters) of_variants[row->variant][name].insert(value);
  Axes axes;
  for (auto& [variant, of_variant] : of_variants)
    for (auto& [name, values] : of_variant)
      if (values.size() > axes[name].size()) axes[name] = std::move(values);
  return axes;
}

// What rows have beside the value on the axis.
std::size_t settings_beside(const std::vector<const StudyRow*>& rows, const std::string& axis) {
  std::set<std::pair<std::string, Values>> settings;
  for (const StudyRow* row : rows) {
    Values others = row->parameters;
    others.erase(axis);
    settings.emplace(row->variant, std::move(others));
  }
  return settings.size();
}

}  // namespace

bool is_speed(const Study& study) {
  if (study.metric.own) return false;
  return is_time(study.metric.name) ? !study.maximise
                                    : study.maximise && study.metric.name.ends_with("_per_second");
}

double number_on(const StudyRow& row, const std::string& axis) {
  const Value* const value = value_on(row, axis);
  if (value == nullptr || std::holds_alternative<bool>(*value) || std::holds_alternative<std::string>(*value))
    return NAN;
  return to_double(*value);
}

std::vector<const StudyRow*> with_problem(const std::vector<const StudyRow*>& rows, const StudyRow& one) {
  std::vector<const StudyRow*> found;
  for (const StudyRow* row : rows)
    if (row->problem == one.problem) found.push_back(row);
  return found;
}

std::vector<const StudyRow*> best_first(const DeviceStudy& device, std::vector<const StudyRow*> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const StudyRow* a, const StudyRow* b) { return device.better(*a->value, *b->value); });
  return rows;
}

std::set<std::string> varying_quantities(const std::vector<const StudyRow*>& rows) {
  std::set<std::string> names;
  for (const StudyRow* row : rows)
    for (const StudyRow* one : {row, rows.front()})
      for (const auto& [name, value] : one->problem) {
        const StudyRow* const other = one == row ? rows.front() : row;
        const auto found = other->problem.find(name);
        if (found == other->problem.end() || found->second != value) names.insert(name);
      }
  return names;
}

std::string quantities_text(const Values& problem, const std::set<std::string>& names) {
  std::string text;
  for (const auto& [quantity, value] : problem)
    if (names.contains(quantity)) text += (text.empty() ? "" : ", ") + quantity + " " + to_string(value);
  return text;
}

Question question_of(const std::vector<const StudyRow*>& rows) {
  if (const std::string quantity = longest_of(problem_axes(rows)); !quantity.empty())
    return {Asks::scaling, quantity};
  if (rows.empty()) return {};
  const auto last_of_all = std::max_element(
      rows.begin(), rows.end(), [](const StudyRow* a, const StudyRow* b) { return a->problem < b->problem; });
  const std::vector<const StudyRow*> last = with_problem(rows, **last_of_all);
  const Axes axes = parameter_axes(last);
  const std::string axis = longest_of(axes);
  const auto varied =
      std::count_if(axes.begin(), axes.end(), [](const auto& one) { return one.second.size() > 1; });
  const bool many = last.size() >= kFewestToTune && varied > 1;
  if (many && (axis.empty() || settings_beside(last, axis) > kMostSettings)) return {Asks::tuning, ""};
  if (axis.empty()) return {};
  return {Asks::size, axis};
}

}  // namespace tailwave
