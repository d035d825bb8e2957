#include "space/expression.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "space/evaluator.h"
#include "space/lexer.h"
#include "space/parser.h"

namespace tailwave {
namespace {

// Calls `use` and adds the expression's text to an ExpressionError that leaves it.
template <class Use>
auto naming_text(std::string_view text, Use&& use) {
  try {
    return use();
  } catch (ExpressionError& error) {
    if (error.text.empty()) error.text = text;
    throw;
  }
}

// Calls `use` with the result; what it returns must not refer to text of the operands.
template <class Use>
auto evaluated(const ExpressionProgram& program, std::span<const Operand> operands, Use&& use) {
  return naming_text(program.text, [&] { return use(run_program(program, operands)); });
}

template <class Use>
auto evaluated(const ExpressionProgram& program, std::span<const Value> values, Use&& use) {
  const auto fill = [&](std::span<Operand> operands) {
    std::transform(values.begin(), values.end(), operands.begin(),
                   [](const Value& value) { return Operand::of(value); });
    return evaluated(program, std::span<const Operand>(operands), use);
  };
  std::array<Operand, 12> few;  // written before read
  if (values.size() <= few.size()) return fill(std::span(few).first(values.size()));
  std::vector<Operand> many(values.size());
  return fill(many);
}

// The entry of a program's name in a scope.
template <class Scope>
const auto& entry_of(const ExpressionProgram& program, std::size_t name, const Scope& scope) {
  const auto found = scope.find(program.names[name]);
  if (found != scope.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& entry : scope) known.push_back(entry.first);
  const std::string suggestion = nearest(program.names[name], known);
  throw ExpressionError("unknown name '" + program.names[name] + "'", program.name_columns[name],
                        suggestion.empty() ? "" : "did you mean '" + suggestion + "'?", program.text);
}

template <class Use>
auto evaluated(const ExpressionProgram& program, const Values& scope, Use&& use) {
  std::vector<Operand> operands;
  operands.reserve(program.names.size());
  for (std::size_t i = 0; i < program.names.size(); ++i)
    operands.push_back(Operand::of(entry_of(program, i, scope)));
  return evaluated(program, std::span<const Operand>(operands), use);
}

// The lists of a program's names as operands.
class ListOperands {
 public:
  ListOperands(const ExpressionProgram& program, const Lists& scope) {
    lists_.reserve(program.names.size());
    for (std::size_t i = 0; i < program.names.size(); ++i) {
      std::vector<Operand>& items = lists_.emplace_back();
      for (const Value& value : entry_of(program, i, scope)) items.push_back(Operand::of(value));
    }
    for (const std::vector<Operand>& items : lists_) operands_.push_back(Operand::of(items));
  }
  [[nodiscard]] std::span<const Operand> all() const { return operands_; }

 private:
  std::vector<std::vector<Operand>> lists_;
  std::vector<Operand> operands_;
};

Value to_value(const Operand& operand) {
  return operand.value();
}
bool to_truth(const Operand& operand) {
  return operand.truth();
}

}  // namespace

Expression::Expression() {
  static const Expression zero = constant(std::int64_t{0});
  program_ = zero.program_;
}

Expression Expression::parse(std::string_view text) {
  return naming_text(
      text, [&] { return Expression(std::make_shared<const ExpressionProgram>(parse_expression(text))); });
}

Expression Expression::parse_list(std::string_view text) {
  return naming_text(text, [&] {
    return Expression(std::make_shared<const ExpressionProgram>(parse_expression(text, true)));
  });
}

Expression Expression::constant(Value value) {
  ExpressionProgram program;
  program.text = Operand::of(value).shown();
  program.constants.push_back(std::move(value));
  program.nodes.emplace_back();
  return Expression(std::make_shared<const ExpressionProgram>(std::move(program)));
}

const std::string& Expression::text() const {
  return program_->text;
}
const std::vector<std::string>& Expression::names() const {
  return program_->names;
}

int Expression::column_of(std::string_view name) const {
  const auto found = std::find(program_->names.begin(), program_->names.end(), name);
  return found == program_->names.end() ? -1 : program_->name_columns[found - program_->names.begin()];
}

Expression Expression::substitute(const std::map<std::string, Expression>& replacements) const {
  std::string result;
  std::size_t copied = 0;
  const std::vector<Token> tokens = tokenize(text());
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto found = replacements.find(std::string(tokens[i].word));
    const bool is_call = tokens[i + 1].word == "(";
    if (tokens[i].kind != Token::Kind::name || is_call || found == replacements.end()) continue;
    const auto column = static_cast<std::size_t>(tokens[i].column);
    result += text().substr(copied, column - copied) + "(" + found->second.text() + ")";
    copied = column + tokens[i].word.size();
  }
  return parse(result + text().substr(copied));
}

Value Expression::evaluate(const Values& scope) const {
  return evaluated(*program_, scope, to_value);
}

Value Expression::evaluate(std::span<const Value> values) const {
  return evaluated(*program_, values, to_value);
}

Value Expression::evaluate(const Lists& scope) const {
  return evaluated(*program_, ListOperands(*program_, scope).all(), to_value);
}

std::vector<Value> Expression::evaluate_list(const Lists& scope) const {
  const ListOperands operands(*program_, scope);
  return naming_text(text(), [&] { return run_list_program(*program_, operands.all()); });
}

bool Expression::evaluate_bool(const Values& scope) const {
  return evaluated(*program_, scope, to_truth);
}

std::int64_t Expression::evaluate_int(const Values& scope) const {
  return evaluated(*program_, scope,
                   [](const Operand& result) { return to_integer(result, 0, "expected a whole number"); });
}

double Expression::evaluate_double(const Values& scope) const {
  return evaluated(*program_, scope, [](const Operand& result) {
    if (!result.is_number()) throw ExpressionError("expected a number, found " + result.shown(), 0);
    return result.as_double();
  });
}

std::string values_of_names(const Expression& expression, const Values& scope) {
  std::string text;
  for (const std::string& name : expression.names()) {
    text += (text.empty() ? " (" : ", ") + name + " = " + Operand::of(scope.at(name)).shown();
  }
  return text.empty() ? text : text + ")";
}

bool truthy(const Value& value) {
  return Operand::of(value).truth();
}

}  // namespace tailwave
