#include "spec/reporter.h"

#include <algorithm>

#include "core/suggestion.h"

namespace tailwave {

void Reporter::report(Diagnostic diagnostic) {
  diagnostic.file = file_;
  diagnostics_.push_back(std::move(diagnostic));
}

void Reporter::report(const std::string& pointer, const std::string& cause, const std::string& hint) {
  report(Diagnostic{"", pointer, cause, "", -1, hint});
}

void Reporter::report(const std::string& pointer, const ExpressionError& error) {
  const bool short_enough = error.text.size() <= 200;
  report(Diagnostic{"", pointer, error.what(), short_enough ? error.text : "", error.column, error.hint});
}

void Reporter::report_unknown(const std::string& pointer, const std::string& what, const std::string& name,
                              const std::vector<std::string>& candidates) {
  report(pointer, "unknown " + what + " '" + name + "'", suggestion(name, candidates));
}

std::optional<Expression> read_expression(const Json& place, const std::vector<std::string>& known,
                                          Reporter& reporter) {
  const std::optional<Value> value = place.as_value();
  if (!value) return std::nullopt;
  const std::string* const text = place.as_text();
  return text == nullptr ? Expression::constant(*value)
                         : expression_of(*text, known, place.pointer(), reporter);
}

std::optional<Expression> expression_of(const std::string& text, const std::vector<std::string>& known,
                                        const std::string& pointer, Reporter& reporter) {
  try {
    Expression expression = Expression::parse(text);
    bool good = true;
    for (const std::string& name : expression.names()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      good = false;
      reporter.report(pointer, ExpressionError("unknown parameter '" + name + "'", expression.column_of(name),
                                               suggestion(name, known), expression.text()));
    }
    return good ? std::optional(expression) : std::nullopt;
  } catch (const ExpressionError& error) {
    reporter.report(pointer, error);
    return std::nullopt;
  }
}

std::string with_defaults(const Expression& expression, const Values& scope) {
  std::string text;
  for (const std::string& name : expression.names()) {
    const auto value = scope.find(name);
    if (value == scope.end()) continue;
    text += (text.empty() ? "with the defaults " : ", ") + name + " = " + to_string(value->second);
  }
  return text;
}

std::optional<Value> try_evaluate(const Expression& expression, const Values& scope,
                                  const std::string& pointer, Reporter& reporter) {
  const std::vector<std::string>& names = expression.names();
  if (!std::all_of(names.begin(), names.end(), [&](const auto& name) { return scope.contains(name); })) {
    return std::nullopt;
  }
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError& error) {
    reporter.report(pointer, ExpressionError(error.what(), error.column, with_defaults(expression, scope),
                                             expression.text()));
    return std::nullopt;
  }
}

void report_value(const Expression& expression, const Value& value, const std::string& expected,
                  const Values& scope, const std::string& pointer, Reporter& reporter) {
  reporter.report(Diagnostic{"", pointer,
                             "the value is " + Expression::constant(value).text() + ", expected " + expected,
                             expression.text(), -1, with_defaults(expression, scope)});
}

void check_amount(const Expression& expression, const Values& scope, const std::string& pointer,
                  Reporter& reporter, const std::string& expected) {
  const std::optional<Value> value = try_evaluate(expression, scope, pointer, reporter);
  if (!value) return;
  const bool text = std::holds_alternative<std::string>(*value);
  if (text || Expression::constant(*value).evaluate_double({}) < 0)
    report_value(expression, *value, expected, scope, pointer, reporter);
}

void check_whole(const Expression& expression, const Values& scope, std::int64_t least,
                 const std::string& pointer, Reporter& reporter) {
  const std::optional<Value> value = try_evaluate(expression, scope, pointer, reporter);
  if (!value) return;
  std::string expected;
  try {
    if (Expression::constant(*value).evaluate_int({}) >= least) return;
    expected = "at least " + std::to_string(least);
  } catch (const ExpressionError&) {
    expected = "a whole number";
  }
  report_value(expression, *value, expected, scope, pointer, reporter);
}

void check_below(const Expression& expression, const Values& scope, std::size_t end,
                 const std::string& pointer, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  check_whole(expression, scope, 0, pointer, reporter);
  if (reporter.diagnostics().size() != before) return;
  const auto value = try_evaluate(expression, scope, pointer, reporter);
  if (!value || Expression::constant(*value).evaluate_int({}) < static_cast<std::int64_t>(end)) return;
  report_value(expression, *value, "less than " + std::to_string(end), scope, pointer, reporter);
}

void require_key(const Json& place, std::string_view key, Reporter& reporter) {
  if (place && !place.find(key)) reporter.report(place.pointer(), "missing key '" + std::string(key) + "'");
}

void refuse_beside(const Json& place, std::span<const std::string_view> keys, const std::string& beside,
                   Reporter& reporter) {
  for (const std::string_view key : keys) {
    if (place.find(key))
      reporter.report(place.find(key).pointer(),
                      "'" + std::string(key) + "' has no meaning beside '" + beside + "'");
  }
}

}  // namespace tailwave
