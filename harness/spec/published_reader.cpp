#include "spec/published_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "spec/document.h"
#include "spec/metric_reader.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr std::string_view kRate = "/s";
constexpr std::array<std::pair<std::string_view, double>, 5> kTimeUnits{
    {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}}};
constexpr std::array<std::string_view, 6> kRowKeys{"experiment", "variant", "value",
                                                   "invalid",    "note",    "speedup"};

// Seconds, or units of work per second, that one `unit` is.
std::optional<double> unit_factor(std::string_view unit, bool is_time) {
  if (is_time) {
    for (const auto& [name, factor] : kTimeUnits) {
      if (name == unit) return factor;
    }
    return std::nullopt;
  }
  if (!unit.ends_with(kRate)) return std::nullopt;
  const std::string_view number = unit.substr(0, unit.size() - kRate.size());
  double factor = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), factor);
  const bool whole = result.ec == std::errc{} && result.ptr == number.data() + number.size();
  return whole && std::isfinite(factor) && factor > 0 ? std::optional(factor) : std::nullopt;
}

class PublishedReader {
 public:
  PublishedReader(const Json& root, const Experiment& experiment, Reporter& reporter)
      : root_(root), experiment_(experiment), reporter_(reporter) {}

  Published read() {
    Published published;
    published.study = text_of(root_.find("study"));
    published.device = text_of(root_.find("device"));
    read_quantity_and_unit(published);
    for (const Json& row : root_.find("rows").items()) {
      if (text_of(row.find("experiment")) == experiment_.name) read_row(row, published);
    }
    return published;
  }

 private:
  static std::string text_of(const Json& place) { return place.as_text() == nullptr ? "" : *place.as_text(); }

  void read_quantity_and_unit(Published& published) {
    const Json quantity = root_.find("quantity");
    const Json unit = root_.find("unit");
    if (quantity.as_text() == nullptr || unit.as_text() == nullptr) return;
    published.quantity = *quantity.as_text();
    published.unit = *unit.as_text();
    const bool is_time =
        published.quantity == "time" || published.quantity == "step_time" || published.quantity == "run_time";
    if (is_time) published.quantity = "time";
    check_metric(published.quantity, experiment_.system, quantity.pointer(), reporter_);
    const std::optional<double> factor = unit_factor(published.unit, is_time);
    if (factor) {
      published.unit_factor = *factor;
    } else {
      reporter_.report(unit.pointer(), "unknown unit '" + published.unit + "' of " + *quantity.as_text(),
                       is_time ? "one of 's', 'ms', 'us', 'ns', 'min'" : "a number and '/s': '1e9/s'");
    }
  }

  void read_row(const Json& place, Published& published) {
    PublishedRow row;
    row.variant = text_of(place.find("variant"));
    row.value = place.find("value").as_real().value_or(0);
    row.invalid = text_of(place.find("invalid"));
    row.note = text_of(place.find("note"));
    if (!place.find("variant")) row.variant = only_variant();
    const VariantSpec* variant = experiment_.system.find_variant(row.variant);
    if (row.variant.empty()) {
      reporter_.report(place.pointer(), "missing key 'variant', since the experiment has several");
    } else if (variant == nullptr) {
      reporter_.report_unknown(place.find("variant").pointer(), "variant", row.variant,
                               variant_names(experiment_.system));
    } else {
      read_values(place, *variant, row);
      published.rows.push_back(std::move(row));
    }
  }

  // The variant of all cases, empty when they differ.
  [[nodiscard]] std::string only_variant() const {
    const std::vector<Case>& cases = experiment_.cases;
    const bool same = !cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const Case& each) {
      return each.variant == cases.front().variant;
    });
    return same ? cases.front().variant : "";
  }

  void read_values(const Json& place, const VariantSpec& variant, PublishedRow& row) {
    const Values defaults = default_scope(experiment_.system, variant);
    for (const auto& [name, value] : place.members()) {
      if (std::find(kRowKeys.begin(), kRowKeys.end(), name) != kRowKeys.end()) continue;
      const auto known = defaults.find(name);
      if (known == defaults.end()) {
        reporter_.report_unknown(value.pointer(), "parameter", name,
                                 names_in_scope(experiment_.system, variant));
      } else if (const auto read = read_parameter_value(known->second, value, reporter_)) {
        row.parameters.emplace(name, *read);
      }
    }
    for (const auto& [name, value] : root_.find("problem").members()) {
      const auto known = defaults.find(name);
      if (known == defaults.end() || row.parameters.contains(name)) continue;
      if (const auto read = read_parameter_value(known->second, value, reporter_)) {
        row.parameters.emplace(name, *read);
      }
    }
  }

  const Json& root_;
  const Experiment& experiment_;
  Reporter& reporter_;
};

}  // namespace

std::optional<Published> read_published(const Json& place, const Experiment& experiment,
                                        Reporter& spec_reporter) {
  const auto file =
      file_inside(std::filesystem::absolute(experiment.file).parent_path(), place, spec_reporter);
  if (!file) return std::nullopt;
  Reporter reporter(shown_path(*file), spec_reporter.diagnostics());
  const std::optional<Document> document = read_document(*file, "published.schema.json", reporter);
  if (!document) return std::nullopt;
  const Json& root = document->json;
  return PublishedReader(root, experiment, reporter).read();
}

}  // namespace tailwave
