#include "spec/reference_reader.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "spec/other_reference_reader.h"
#include "spec/system_reader.h"
#include "spec/variant_reader.h"

namespace tailwave {
namespace {

using Norm = Comparison::Norm;

// One entry of "compare".
class ComparisonReader {
 public:
  ComparisonReader(const Json& place, const System& system, Reporter& reporter)
      : place_(place), system_(system), reporter_(reporter) {}

  Comparison read() {
    const std::string* text = place_.find("norm").as_text();
    const std::optional<Norm> norm = text == nullptr ? std::nullopt : find_enum<Norm>(*text);
    if (!norm) return comparison_;  // reported
    comparison_.norm = *norm;
    const bool range = comparison_.norm == Norm::range, close = comparison_.norm == Norm::close;
    if (range) read_range();
    if (!range) forbid({"low", "high"});
    if (!close) forbid({"relative", "absolute"});
    if (close) {
      forbid({"tolerance"});
      read_close();
    } else if (range || comparison_.norm == Norm::exact) {
      forbid_tolerance();
    } else if (require("tolerance")) {
      comparison_.tolerance = read_amount("tolerance");
    }
    read_when();
    return comparison_;
  }

 private:
  void forbid(std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (!place_.find(key)) continue;
      reporter_.report(
          place_.find(key).pointer(),
          "'" + std::string(key) + "' has no meaning for the norm '" + *place_.find("norm").as_text() + "'");
    }
  }

  void forbid_tolerance() {
    const Json tolerance = place_.find("tolerance");
    if (!tolerance || tolerance.as_real() == 0.0) return;
    reporter_.report(tolerance.pointer(), comparison_.norm == Norm::exact
                                              ? "an exact comparison has no tolerance"
                                              : "a range has no tolerance");
  }

  void read_range() {
    for (const char* key : {"low", "high"}) {
      require_key(place_, key, reporter_);
    }
    comparison_.low = place_.find("low").as_real().value_or(0);
    comparison_.high = place_.find("high").as_real().value_or(comparison_.low);
    if (comparison_.low <= comparison_.high) return;
    reporter_.report(place_.find("low").pointer(), "'low' is " + to_string(Value(comparison_.low)) +
                                                       ", expected at most 'high', " +
                                                       to_string(Value(comparison_.high)));
  }

  bool require(const char* key) {
    require_key(place_, key, reporter_);
    return static_cast<bool>(place_.find(key));
  }

  void read_close() {
    if (!place_.find("relative") && !place_.find("absolute"))
      reporter_.report(place_.pointer(), "missing key 'relative' or 'absolute'");
    if (place_.find("relative")) comparison_.tolerance = read_amount("relative");
    if (place_.find("absolute")) comparison_.absolute = read_amount("absolute");
  }

  // The reference has no parameters of the others, and needs none. The others need none of those that change what is
  // right.
  Expression read_amount(const char* key) {
    const Json place = place_.find(key);
    const auto tolerance = read_expression(place, names_in_scope(system_), reporter_);
    if (!tolerance) return {};
    for (const VariantSpec& variant : system_.variants) {
      if (variant.name == system_.reference.variant) continue;
      const std::size_t before = reporter_.diagnostics().size();
      check_variant_has(*tolerance, system_, variant, place.pointer(), reporter_, system_.reference.by);
      check_amount(*tolerance, scope_of_reference(system_, default_scope(system_, variant)), place.pointer(),
                   reporter_);
      if (comparison_.norm == Norm::differing)
        check_share(*tolerance, scope_of_reference(system_, default_scope(system_, variant)),
                    place.pointer());
      if (reporter_.diagnostics().size() != before) break;
    }
    return *tolerance;
  }

  void check_share(const Expression& tolerance, const Values& scope, const std::string& pointer) {
    const auto share = try_evaluate(tolerance, scope, pointer, reporter_);
    if (share && !std::holds_alternative<std::string>(*share) && to_double(*share) > 1)
      report_value(tolerance, *share, "a share of all elements, at most 1", scope, pointer, reporter_);
  }

  void read_when() {
    const Json place = place_.find("when");
    comparison_.when = read_expression(place, problem_names(system_), reporter_);
    if (!comparison_.when) return;
    Values defaults;
    for (const auto& [name, quantity] : system_.problem) defaults.emplace(name, quantity.default_value);
    (void)try_evaluate(*comparison_.when, defaults, place.pointer(), reporter_);
  }

  const Json& place_;
  const System& system_;
  Reporter& reporter_;
  Comparison comparison_;
};

void read_reference_variant(const Json& place, System& system, Reporter& reporter) {
  const std::string* name = place.as_text();
  if (name == nullptr) return;
  system.reference.variant = *name;
  const VariantSpec* const variant = system.find_variant(*name);
  if (variant == nullptr)
    reporter.report_unknown(place.pointer(), "variant", *name, variant_names(system));
  else if (variant->is_program())
    reporter.report(place.pointer(), "the reference '" + *name + "' is a program",
                    "what is right is told by a host or cuda variant, whose source tailwave compiles itself");
}

void read_by(const Json& names, System& system, Reporter& reporter) {
  const VariantSpec* const reference = system.find_variant(system.reference.variant);
  if (reference == nullptr && !system.reference.python) return;  // reported
  for (const Json& place : names.items()) {
    const std::string* name = place.as_text();
    if (name == nullptr) continue;
    if (!reference_has(system, *name))
      reporter.report(place.pointer(),
                      reference == nullptr
                          ? "not all variants have a parameter '" + *name + "'"
                          : "the reference '" + reference->name + "' has no parameter '" + *name + "'",
                      "it has to compute what is right for each value");
    system.reference.by.push_back(*name);
  }
}

}  // namespace

void read_reference(const Json& reference, System& system, Reporter& reporter) {
  if (!read_other_reference(reference, system, reporter))
    read_reference_variant(reference.find("variant"), system, reporter);
  read_by(reference.find("by"), system, reporter);
  std::vector<std::string> buffers;
  for (const auto& entry : system.buffers) buffers.push_back(entry.first);
  if (reference.find("compare")) system.reference.compare.clear();
  for (const auto& [name, place] : reference.find("compare").members()) {
    if (!system.buffers.contains(name)) {
      reporter.report_unknown(place.pointer(), "buffer", name, buffers);
      continue;
    }
    system.reference.compare.emplace(name, ComparisonReader(place, system, reporter).read());
  }
  check_other_reference(reference, system, reporter);
}

}  // namespace tailwave
