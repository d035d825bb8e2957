// In which order the names and the rows of a study stand.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "report/study.h"

namespace tailwave {
namespace {

// Those of one kind; names that the spec does not have come last.
void add_names(const std::set<std::string>& names, const std::string& spec, std::vector<std::string>& all) {
  std::vector<std::pair<std::size_t, std::string>> placed;
  for (const std::string& name : names) placed.emplace_back(spec.find('"' + name + '"'), name);
  std::sort(placed.begin(), placed.end());
  for (auto& [place, name] : placed) all.push_back(std::move(name));
}

}  // namespace

void Study::put_in_order(const std::string& spec) {
  std::set<std::string> parameters;
  std::set<std::string> problem;
  for (const DeviceStudy& device : devices)
    for (const StudyRow& row : device.rows) {
      for (const auto& [name, value] : row.parameters) parameters.insert(name);
      for (const auto& [name, value] : row.problem) problem.insert(name);
    }
  names.clear();
  add_names(parameters, spec, names);
  add_names(problem, spec, names);
  const auto before = [this](const StudyRow& a, const StudyRow& b) { return in_order(a, b); };
  for (DeviceStudy& device : devices) std::sort(device.rows.begin(), device.rows.end(), before);
}

bool Study::in_order(const StudyRow& a, const StudyRow& b) const {
  if (std::tie(a.variant, a.problem) != std::tie(b.variant, b.problem))
    return std::tie(a.variant, a.problem) < std::tie(b.variant, b.problem);
  const auto value_of = [](const StudyRow& row, const std::string& name) {
    const auto found = row.parameters.find(name);
    return found == row.parameters.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& parameter : names) {
    const auto first = value_of(a, parameter), second = value_of(b, parameter);
    if (first != second) return first < second;
  }
  return a.configuration < b.configuration;
}

}  // namespace tailwave
