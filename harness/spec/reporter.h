#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "json/json.h"
#include "space/expression.h"

namespace tailwave {

// Appends what is wrong with one file.
class Reporter {
 public:
  Reporter(std::string file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics), before_(diagnostics.size()) {}

  void report(const std::string& pointer, const std::string& cause, const std::string& hint = "");
  // With the expression as excerpt.
  void report(const std::string& pointer, const ExpressionError& error);
  void report(Diagnostic diagnostic);  // sets its file
  // "unknown variant 'basik'" with the nearest candidate, or all of a few, as hint.
  void report_unknown(const std::string& pointer, const std::string& what, const std::string& name,
                      const std::vector<std::string>& candidates);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }
  [[nodiscard]] bool clean() const { return diagnostics_.size() == before_; }  // nothing appended since

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  std::size_t before_;
};

// "missing key 'grid'", unless the place is missing itself.
void require_key(const Json& place, std::string_view key, Reporter& reporter);

// "'grid' has no meaning beside 'copy'", of each of the keys that is there.
void refuse_beside(const Json& place, std::span<const std::string_view> keys, const std::string& beside,
                   Reporter& reporter);

// An expression: text, a number or a boolean. Empty, and everything wrong reported, when it is bad or names
// something that is not in `known`.
std::optional<Expression> read_expression(const Json& place, const std::vector<std::string>& known,
                                          Reporter& reporter);
// The same of a text that is not the place's own.
std::optional<Expression> expression_of(const std::string& text, const std::vector<std::string>& known,
                                        const std::string& pointer, Reporter& reporter);

// The value with the given scope, which holds defaults. Empty when it cannot be evaluated (reported) or when
// the scope lacks a name, since that was reported where the name lost its value.
std::optional<Value> try_evaluate(const Expression& expression, const Values& scope,
                                  const std::string& pointer, Reporter& reporter);

// "the value is 0, expected at least 1", with the expression and the values of the scope that it names.
void report_value(const Expression& expression, const Value& value, const std::string& expected,
                  const Values& scope, const std::string& pointer, Reporter& reporter);

// As try_evaluate; reports a value that is no number from 0 on.
void check_amount(const Expression& expression, const Values& scope, const std::string& pointer,
                  Reporter& reporter, const std::string& expected = "a number from 0");

// The same for a whole number of at least `least`, e.g. a grid's size.
void check_whole(const Expression& expression, const Values& scope, std::int64_t least,
                 const std::string& pointer, Reporter& reporter);

// The same for a whole number from 0 on that is less than `end`, e.g. a stream.
void check_below(const Expression& expression, const Values& scope, std::size_t end,
                 const std::string& pointer, Reporter& reporter);

// "with the defaults N = 4096, BLOCK_SIZE = 128"; empty for an expression without names.
std::string with_defaults(const Expression& expression, const Values& scope);

}  // namespace tailwave
