#include "spec/overrides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/suggestion.h"
#include "spec/names.h"
#include "spec/problem_space.h"
#include "spec/reporter.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr char kMark = '@';  // no name of an experiment that is a file's has it

struct Setting {
  std::string text, name;
  std::vector<std::string> values;
};

Setting setting_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  Setting setting{text, text.substr(0, equals), {}};
  for (std::size_t begin = equals; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    setting.values.push_back(text.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  const bool has_empty = std::ranges::any_of(setting.values, [](const auto& one) { return one.empty(); });
  if (equals == 0 || setting.values.empty() || has_empty)
    throw Error(Diagnostic{.cause = "--set '" + text + "' is not NAME=VALUE or NAME=VALUE,VALUE",
                           .hint = "for example --set N=8192"});
  for (auto value = setting.values.begin(); value != setting.values.end(); ++value)
    if (std::find(setting.values.begin(), value, *value) != value)
      throw Error(Diagnostic{.cause = fmt::format("--set '{}' has {} twice", text, *value),
                             .hint = "name each value once"});
  return setting;
}

// Of one experiment.
class Overriding {
 public:
  explicit Overriding(Experiment& experiment) : experiment_(experiment) {}

  void set(const Setting& setting) {
    Diagnostics diagnostics;
    Reporter reporter("--set " + setting.text, diagnostics);
    const auto quantity = experiment_.system.problem.find(setting.name);
    if (quantity != experiment_.system.problem.end()) {
      const std::vector<Value> values = values_of(
          setting, [&](const Json& one) { return read_quantity(quantity->second.type, one, reporter); });
      for (std::vector<ProblemSize>* sizes : {&experiment_.sizes, &experiment_.cpu_sizes})
        *sizes = with_values(*sizes, setting.name, values);
      if (experiment_.sizes.empty()) replace(experiment_.problem, setting.name, values);
      std::erase_if(experiment_.cpu_problem, [&](const Parameter& one) { return one.name == setting.name; });
    } else {
      set_parameter(setting, reporter);
    }
    if (!reporter.clean()) throw Error(diagnostics);
  }

 private:
  template <class Read>
  std::vector<Value> values_of(const Setting& setting, Read read) {
    std::vector<Value> values;
    for (const std::string& text : setting.values) {
      const nlohmann::ordered_json json =
          std::visit([](const auto& value) { return nlohmann::ordered_json(value); }, parse_value(text));
      const std::optional<Value> value = read(Json(json, ""));
      if (value && std::ranges::find(values, *value) == values.end()) values.push_back(*value);
    }
    return values;
  }

  static void replace(std::vector<Parameter>& all, const std::string& name,
                      const std::vector<Value>& values) {
    const auto found = std::ranges::find(all, name, &Parameter::name);
    if (found == all.end())
      all.push_back({name, values});
    else
      found->values = values;
  }

  // Each size with each of the values. Of those that are one then the first stays.
  static std::vector<ProblemSize> with_values(const std::vector<ProblemSize>& sizes, const std::string& name,
                                              const std::vector<Value>& values) {
    std::vector<ProblemSize> result;
    for (ProblemSize size : sizes)
      for (const Value& value : values) {
        size.problem[name] = value;
        if (std::ranges::find(result, size.problem, &ProblemSize::problem) == result.end())
          result.push_back(size);
      }
    return result;
  }

  void set_parameter(const Setting& setting, Reporter& reporter) {
    bool is_known = false;
    for (Case& each : experiment_.cases) {
      const VariantSpec& variant = *experiment_.system.find_variant(each.variant);
      const auto parameter = std::ranges::find_if(
          variant.parameters, [&](const auto& entry) { return entry.first == setting.name; });
      if (parameter == variant.parameters.end()) continue;
      const std::vector<Value> values = values_of(
          setting, [&](const Json& one) { return read_parameter_value(parameter->second, one, reporter); });
      if (!reporter.clean()) return;
      is_known = true;
      replace(each.parameters, setting.name, values);
    }
    if (is_known) return;
    const std::string near = suggestion(setting.name, names());
    reporter.report("", "unknown problem quantity or parameter '" + setting.name + "'",
                    near.empty() ? fmt::format("there are: {}", fmt::join(names(), ", ")) : near);
  }

  std::vector<std::string> names() {
    const std::vector<std::string> quantities = problem_names(experiment_.system);
    std::set<std::string> all(quantities.begin(), quantities.end());
    for (const Case& each : experiment_.cases)
      for (const auto& [name, value] : experiment_.system.find_variant(each.variant)->parameters)
        all.insert(name);
    return {all.begin(), all.end()};
  }

  Experiment& experiment_;
};

}  // namespace

std::string Overrides::text() const {
  std::vector<std::string> words = settings;
  if (samples) words.push_back(fmt::format("samples={}", *samples));
  return fmt::format("{}", fmt::join(words, ", "));
}

Experiment with_overrides(Experiment experiment, const Overrides& overrides) {
  std::set<std::string> names;
  for (const std::string& text : overrides.settings) {
    const Setting setting = setting_of(text);
    if (!names.insert(setting.name).second)
      throw Error(Diagnostic{.cause = "--set gives " + setting.name + " twice",
                             .hint = "several values: --set " + setting.name + "=1,2"});
    Overriding(experiment).set(setting);
  }
  if (overrides.samples) {
    experiment.measure.samples = experiment.measure.max_samples = static_cast<int>(*overrides.samples);
    experiment.measure.precision = 0;
  }
  if (count_configurations(experiment, false).number == 0)
    throw Error(Diagnostic{
        .file = experiment.file.string(),
        .cause = fmt::format("--set {} leaves no configuration", fmt::join(overrides.settings, " --set ")),
        .hint = "its constraints rule all of them out"});
  std::vector<std::string> words = overrides.settings;
  std::ranges::sort(words);
  if (overrides.samples) words.push_back(fmt::format("samples={}", *overrides.samples));
  experiment.name += fmt::format("{}{}", kMark, fmt::join(words, ","));
  std::ranges::replace(experiment.name, '/', '_');  // the name is a file's
  experiment.published.reset();
  return experiment;
}

bool is_try(std::string_view experiment) {
  return experiment.find(kMark) != std::string_view::npos;
}

}  // namespace tailwave
