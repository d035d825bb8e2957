#include "spec/limit_reader.h"

#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/variant_reader.h"

namespace tailwave {
namespace {

constexpr double kSomeRate = 1e12;  // of a device; only whether the expression has a value is asked

void check_limit(const Expression& seconds, const System& system, const std::string& pointer,
                 Reporter& reporter) {
  Expression without_rates = seconds;
  std::map<std::string, Expression> rates;
  for (const std::string& name : rate_names()) rates.emplace(name, Expression::constant(kSomeRate));
  try {
    without_rates = seconds.substitute(rates);
  } catch (const ExpressionError& error) {
    return reporter.report(pointer, error);
  }
  for (const VariantSpec& variant : system.variants) {
    const std::size_t before = reporter.diagnostics().size();
    check_variant_has(without_rates, system, variant, pointer, reporter);
    check_amount(without_rates, default_scope(system, variant), pointer, reporter, "seconds, from 0");
    if (reporter.diagnostics().size() != before) return;
  }
}

}  // namespace

void read_limits(const Json& limits, System& system, Reporter& reporter) {
  std::vector<std::string> known = names_in_scope(system);
  for (const auto& entry : system.work) known.push_back(entry.first);
  known.insert(known.end(), rate_names().begin(), rate_names().end());
  for (const auto& [name, place] : limits.members()) {
    const std::string why = why_not_a_name(name);
    if (!why.empty()) reporter.report(place.pointer(), "the name '" + name + "' " + why);
    const Json seconds = place.find("seconds");
    const auto expression = read_expression(seconds, known, reporter);
    if (!expression) continue;
    try {
      const std::string* description = place.find("description").as_text();
      const RooflineBound limit{expression->substitute(system.work),
                                description == nullptr ? std::string() : *description,
                                place.find("hard").as_flag().value_or(false)};
      check_limit(limit.seconds, system, seconds.pointer(), reporter);
      system.limits.emplace(name, limit);
    } catch (const ExpressionError& error) {
      reporter.report(seconds.pointer(), error);
    }
  }
}

}  // namespace tailwave
