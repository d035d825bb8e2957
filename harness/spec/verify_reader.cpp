#include "spec/verify_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "space/parameter_space.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

// No device has as much memory: 1 TiB.
constexpr double kMostBytes = 1099511627776.0;

std::string pointer_of(std::size_t number) {
  return pointer_to("/verify/problems", number);
}

// What is wrong with an expression, with the values that it had.
void report_with_values(const Expression& expression, const Values& scope, const std::string& pointer,
                        const ExpressionError& error, Reporter& reporter) {
  reporter.report(pointer, ExpressionError(error.what() + values_of_names(expression, scope), error.column,
                                           error.hint, expression.text()));
}

// 64.0 as 64 where the quantity is a whole number: a division gives real ones.
Value whole_if_wanted(const Value& value, ScalarType type) {
  const auto* real = std::get_if<double>(&value);
  constexpr double kExact = 9007199254740992.0;  // up to here each whole number is a double
  if (is_real(type) || real == nullptr || *real != std::floor(*real) || std::fabs(*real) > kExact)
    return value;
  return static_cast<std::int64_t>(*real);
}

// The bytes of a buffer in a problem; empty where it has no elements or no size (reported at the problem).
std::optional<double> bytes_of(const std::string& name, const System& system, const Values& scope,
                               const std::string& pointer, Reporter& reporter) {
  const BufferSpec& buffer = system.buffers.at(name);
  const std::string what = fmt::format("the count of buffer '{}'", name);
  try {
    const Value count = whole_if_wanted(buffer.count.evaluate(scope), ScalarType::int64);
    const auto* whole = std::get_if<std::int64_t>(&count);
    if (whole != nullptr && *whole >= 1)
      return static_cast<double>(*whole) * static_cast<double>(size_bytes(buffer.type));
    throw ExpressionError(
        fmt::format("{} is {}, expected a whole number of at least 1", what, to_string(count)), -1);
  } catch (const ExpressionError& error) {
    const bool is_ours = std::string(error.what()).starts_with(what);
    report_with_values(
        buffer.count, scope, pointer,
        is_ours ? error : ExpressionError(what + ": " + error.what(), error.column, error.hint), reporter);
  }
  return std::nullopt;
}

void check_memory(const System& system, const VariantSpec& variant, const Values& scope,
                  const std::string& pointer, Reporter& reporter) {
  double sum = 0;
  for (const std::string& name : used_buffers(system, variant)) {
    const std::optional<double> bytes = bytes_of(name, system, scope, pointer, reporter);
    if (!bytes) return;
    sum += *bytes;
  }
  if (sum > kMostBytes)
    reporter.report(
        pointer,
        fmt::format("the buffers of variant '{}' would have {:.3g} bytes, more than any device holds",
                    variant.name, sum),
        "each configuration is verified with it: a few blocks are enough");
}

// The scope of a configuration on another problem; empty where the variant is not made for that, or it cannot be told
// (reported).
std::optional<Values> changed_scope(const System& system, std::size_t number, const VariantSpec& variant,
                                    Values scope, Reporter& reporter) {
  const std::optional<Values> quantities = other_problem(system, number, scope, reporter);
  if (!quantities) return std::nullopt;
  for (const auto& [name, value] : *quantities) scope[name] = value;
  if (!is_in_domain(variant, scope, reporter).value_or(false)) return std::nullopt;
  return scope;
}

// Whether it is one for values that the manifest lists of the variant's parameters, others having their default.
bool is_for_listed_values(const System& system, std::size_t number, const VariantSpec& variant,
                          const Reporter& reporter) {
  constexpr int kMostTried = 10'000;
  std::vector<Parameter> listed;
  for (const auto& [name, values] : variant.values) listed.push_back({name, values});
  Diagnostics unfit;
  Reporter quiet(reporter.file(), unfit);
  int tried = 0;
  return !ParameterSpace(listed, {}).for_each([&](const std::vector<std::uint32_t>& indices) {
    Values scope = default_scope(system, variant);
    for (std::size_t i = 0; i < indices.size(); ++i) scope[listed[i].name] = listed[i].values[indices[i]];
    return !changed_scope(system, number, variant, std::move(scope), quiet) && ++tried < kMostTried;
  });
}

// Whether the variant can have the problem, as far as the manifest tells.
bool try_problem(const System& system, std::size_t number, const VariantSpec& variant, Reporter& reporter) {
  const auto changed = changed_scope(system, number, variant, default_scope(system, variant), reporter);
  if (!changed) return is_for_listed_values(system, number, variant, reporter);
  check_memory(system, variant, *changed, pointer_of(number), reporter);
  return true;
}

// Whether its results are held against others': not the reference's own.
bool is_held_against_others(const System& system, const VariantSpec& variant) {
  return variant.name != system.reference.variant || system.variants.size() == 1;
}

std::string why_not(const System& system, std::size_t number, const VariantSpec& variant) {
  const auto& problem = system.verify.problems[number];
  for (const auto& quantity : problem)
    if (!has_names_of(quantity.second, variant, system))
      return fmt::format("'{}' lacks a parameter that it names", variant.name);
  if (!can_have_problem(variant, system, number))
    return fmt::format("the code of '{}' is built for one value of what it changes", variant.name);
  return fmt::format("'{}' requires {}", variant.name, variant.domain->text());
}

// One variant's trouble is enough.
void check_problem(const System& system, std::size_t number, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  bool is_possible = false, is_by_parameters = false;
  std::string reasons;
  for (const VariantSpec& variant : system.variants) {
    const bool can_have =
        can_have_problem(variant, system, number) && try_problem(system, number, variant, reporter);
    if (reporter.diagnostics().size() != before) return;
    if (!is_held_against_others(system, variant)) continue;
    is_possible = is_possible || can_have;
    is_by_parameters = is_by_parameters || (!can_have && variant.domain && !variant.parameters.empty());
    if (!can_have) reasons += (reasons.empty() ? "" : "; ") + why_not(system, number, variant);
  }
  if (!is_possible)
    reporter.report(
        pointer_of(number), "no variant can have this problem, so it is never verified",
        reasons + (is_by_parameters ? "\n  parameters have the values that the manifest gives or lists, "
                                      "\"VECTOR\": [4, 1], and not those of an experiment"
                                    : ""));
}

}  // namespace

void read_verify(const Json& verify, System& system, Reporter& reporter) {
  system.verify.draws = static_cast<int>(verify.find("draws").as_whole().value_or(system.verify.draws));
  if (verify && !system.reference.none.empty())
    reporter.report(verify.pointer(), "nothing is verified: the reference is 'none'");
  if (verify.find("problems") && !system.reference.stored.empty())
    reporter.report(verify.find("problems").pointer(),
                    "the reference's results are stored, and of one problem");
  std::vector<std::string> quantities;
  for (const auto& entry : system.problem) quantities.push_back(entry.first);
  for (const Json& place : verify.find("problems").items()) {
    std::map<std::string, Expression> problem;
    for (const auto& [name, value] : place.members()) {
      if (!system.problem.contains(name))
        reporter.report_unknown(value.pointer(), "quantity", name, quantities);
      const auto expression = read_expression(value, names_in_scope(system), reporter);
      if (expression) problem.emplace(name, *expression);
    }
    system.verify.problems.push_back(std::move(problem));
  }
  if (!reporter.clean()) return;  // what is tried needs buffers, variants and quantities that are right
  for (std::size_t number = 0; number < system.verify.problems.size(); ++number)
    check_problem(system, number, reporter);
}

bool can_have_problem(const VariantSpec& variant, const System& system, std::size_t number) {
  const auto& problem = system.verify.problems[number];
  const auto is_built_for_one = [&](const auto& entry) {
    const std::vector<std::string> names = entry.second.names();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return problem.contains(name); });
  };
  return std::all_of(problem.begin(), problem.end(),
                     [&](const auto& quantity) { return has_names_of(quantity.second, variant, system); }) &&
         std::none_of(variant.options.begin(), variant.options.end(), is_built_for_one) &&
         std::none_of(variant.defines.begin(), variant.defines.end(), is_built_for_one);
}

bool can_be_verified_with(System system, const std::map<std::string, Expression>& problem) {
  system.verify.problems = {problem};
  Diagnostics wrong;
  Reporter reporter(system.file.string(), wrong);
  check_problem(system, 0, reporter);
  return wrong.empty();
}

std::optional<Values> other_problem(const System& system, std::size_t number, const Values& scope,
                                    Reporter& reporter) {
  Values quantities;
  for (const auto& [name, expression] : system.verify.problems[number]) {
    const ScalarType type = system.problem.at(name).type;
    const std::string pointer = pointer_to(pointer_of(number), name);
    try {
      Diagnostics unfit;
      Reporter quiet(reporter.file(), unfit);
      const auto value = quantity_of(type, whole_if_wanted(expression.evaluate(scope), type), pointer, quiet);
      if (!value)
        throw ExpressionError(unfit.front().cause, -1,
                              is_real(type) ? "" : "'//' divides whole numbers, '/' gives a real one");
      quantities.emplace(name, *value);
    } catch (const ExpressionError& error) {
      report_with_values(expression, scope, pointer, error, reporter);
      return std::nullopt;
    }
  }
  return quantities;
}

std::optional<bool> is_in_domain(const VariantSpec& variant, const Values& scope, Reporter& reporter) {
  try {
    return is_in_domain(variant, scope);
  } catch (const ExpressionError& error) {
    report_with_values(*variant.domain, scope, pointer_to(pointer_to("/variants", variant.name), "requires"),
                       error, reporter);
    return std::nullopt;
  }
}

}  // namespace tailwave
