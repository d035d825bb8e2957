#include "spec/problem_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "json/values.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr const char* kWeight = "weight";

std::optional<ProblemSize> read_size(const Json& place, const System& system, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  ProblemSize size;
  for (const auto& [name, quantity] : system.problem) size.problem.emplace(name, quantity.default_value);
  for (const auto& [name, value] : place.members()) {
    if (name == kWeight) {
      size.weight = value.as_real().value_or(1);
      continue;
    }
    const auto quantity = system.problem.find(name);
    if (quantity == system.problem.end())
      reporter.report_unknown(value.pointer(), "problem quantity", name, problem_names(system));
    else if (const auto read = read_quantity(quantity->second.type, value, reporter))
      size.problem[name] = *read;
  }
  return reporter.diagnostics().size() == before ? std::optional(std::move(size)) : std::nullopt;
}

std::string words_of(const Values& problem) {
  std::vector<std::string> words;
  for (const auto& [name, value] : problem) words.push_back(fmt::format("{} = {}", name, to_string(value)));
  return fmt::format("{}", fmt::join(words, ", "));
}

// How many quantities a size names; none: the problem is another one.
std::optional<std::size_t> named_of(const Values& size, const Values& problem) {
  std::size_t named = 0;
  for (const auto& [name, value] : size) {
    if (name == kWeight) continue;
    const auto found = problem.find(name);
    if (found == problem.end() || to_string(found->second) != to_string(value)) return std::nullopt;
    ++named;
  }
  return named;
}

}  // namespace

std::vector<ProblemSize> read_sizes(const Json& problem, const System& system, Reporter& reporter) {
  std::vector<ProblemSize> sizes;
  if (problem.is_array() && system.problem.contains(kWeight)) {
    reporter.report(problem.pointer(),
                    "the system's quantity 'weight' cannot be told from the weight of a size",
                    "give each quantity a list of values, or rename it in the manifest");
    return sizes;
  }
  for (const Json& place : problem.items()) {
    std::optional<ProblemSize> size = read_size(place, system, reporter);
    if (!size) continue;
    if (std::ranges::find(sizes, size->problem, &ProblemSize::problem) == sizes.end())
      sizes.push_back(*std::move(size));
    else
      reporter.report(place.pointer(), "the size " + words_of(size->problem) + " is given twice",
                      "a size that counts more has a larger weight");
  }
  return sizes;
}

std::vector<Parameter> quantities_of(const std::vector<ProblemSize>& sizes) {
  std::vector<Parameter> quantities;
  for (const ProblemSize& size : sizes)
    for (const auto& [name, value] : size.problem) {
      auto own = std::ranges::find(quantities, name, &Parameter::name);
      if (own == quantities.end()) own = quantities.insert(own, {name, {}});
      if (std::ranges::find(own->values, value) == own->values.end()) own->values.push_back(value);
    }
  return quantities;
}

double weight_in_spec(const std::string& spec_text, const Values& problem, bool on_cpu) {
  const nlohmann::json spec = nlohmann::json::parse(spec_text, nullptr, false);
  const auto member = [](const nlohmann::json& of, const char* name) {
    return of.is_object() && of.contains(name) ? of.at(name) : nlohmann::json();
  };
  nlohmann::json listed = member(spec, "problem");
  if (const nlohmann::json own = member(member(member(spec, "devices"), "cpu"), "problem");
      on_cpu && !own.is_null())
    listed = own;
  double weight = 1;
  std::optional<std::size_t> most;
  if (!listed.is_array()) return weight;
  for (const nlohmann::json& one : listed) {
    const auto is_value = [](const nlohmann::json& value) {
      return value.is_primitive() && !value.is_null();
    };
    if (!one.is_object() || !std::all_of(one.begin(), one.end(), is_value)) continue;
    const std::optional<std::size_t> named = named_of(from_json(one.dump()), problem);
    if (!named || (most && *named <= *most)) continue;
    most = named;
    const nlohmann::json own = member(one, kWeight);
    weight = own.is_number() && own.get<double>() > 0 ? own.get<double>() : 1;
  }
  return weight;
}

}  // namespace tailwave
