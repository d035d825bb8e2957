#include "space/parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "space/expression.h"
#include "space/functions.h"
#include "space/lexer.h"

namespace tailwave {
namespace {

constexpr int kDeepest = 300;  // levels of the grammar; parentheses take three

struct Operator {
  std::string_view symbol;
  Op op;
};
constexpr std::array<Operator, 6> kComparisons{{{"<", Op::less},
                                                {"<=", Op::less_equal},
                                                {">", Op::greater},
                                                {">=", Op::greater_equal},
                                                {"==", Op::equal},
                                                {"!=", Op::not_equal}}};
constexpr std::array<Operator, 2> kSums{{{"+", Op::add}, {"-", Op::subtract}}};
constexpr std::array<Operator, 4> kProducts{
    {{"*", Op::multiply}, {"/", Op::divide}, {"//", Op::floor_divide}, {"%", Op::modulo}}};

constexpr std::array<std::string_view, 5> kKeywords{"and", "or", "not", "if", "else"};
constexpr std::array<std::string_view, 4> kBooleans{"true", "True", "false", "False"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Recursive descent, one function for each level of Python's grammar, loosest first.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) { program_.text = text; }

  ExpressionProgram run() {
    if (current().kind == Token::Kind::end) throw ExpressionError("the expression is empty", 0);
    program_.root = conditional();
    if (current().kind != Token::Kind::end) fail("an operator");
    return std::move(program_);
  }

 private:
  // Counts nesting, so that a hostile text cannot exhaust the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > kDeepest) {
        throw ExpressionError("the expression is nested too deeply", parser.current().column);
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  [[nodiscard]] const Token& current() const { return tokens_[next_]; }

  [[nodiscard]] bool at(std::string_view word) const {
    const Token::Kind kind = current().kind;
    return (kind == Token::Kind::symbol || kind == Token::Kind::name) && current().word == word;
  }

  // The column of the word if it comes next, and moves past it.
  std::optional<int> accept(std::string_view word) {
    if (!at(word)) return std::nullopt;
    return tokens_[next_++].column;
  }

  template <std::size_t size>
  const Operator* accept_any(const std::array<Operator, size>& operators) {
    for (const Operator& candidate : operators) {
      if (accept(candidate.symbol)) return &candidate;
    }
    return nullptr;
  }

  void expect(std::string_view word) {
    if (!accept(word)) fail("'" + std::string(word) + "'");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const Token& token = current();
    const std::string found =
        token.kind == Token::Kind::end ? "the end" : "'" + std::string(token.word) + "'";
    throw ExpressionError("expected " + expected + ", found " + found, token.column);
  }

  std::uint32_t add(Op op, int column, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = kNoNode) {
    program_.nodes.push_back({op, column, a, b, c});
    return static_cast<std::uint32_t>(program_.nodes.size() - 1);
  }

  std::uint32_t conditional() {
    const Level level(*this);
    const std::uint32_t value = disjunction();
    const std::optional<int> column = accept("if");
    if (!column) return value;
    const std::uint32_t condition = disjunction();
    expect("else");
    return add(Op::conditional, *column, value, condition, conditional());
  }

  std::uint32_t disjunction() {
    std::uint32_t left = conjunction();
    while (const std::optional<int> column = accept("or")) {
      left = add(Op::logical_or, *column, left, conjunction());
    }
    return left;
  }

  std::uint32_t conjunction() {
    std::uint32_t left = negation();
    while (const std::optional<int> column = accept("and")) {
      left = add(Op::logical_and, *column, left, negation());
    }
    return left;
  }

  std::uint32_t negation() {
    const Level level(*this);
    if (const std::optional<int> column = accept("not")) return add(Op::logical_not, *column, negation());
    return comparison();
  }

  std::uint32_t comparison() {
    const std::uint32_t left = sum();
    const std::uint32_t first = comparison_after(left);
    for (std::uint32_t last = first; last != kNoNode;) {
      const std::uint32_t next = comparison_after(program_.nodes[last].b);
      program_.nodes[last].c = next;
      last = next;
    }
    return first == kNoNode ? left : first;
  }

  std::uint32_t comparison_after(std::uint32_t left) {
    const int column = current().column;
    const Operator* found = accept_any(kComparisons);
    return found == nullptr ? kNoNode : add(found->op, column, left, sum());
  }

  template <std::size_t size>
  std::uint32_t left_to_right(const std::array<Operator, size>& operators,
                              std::uint32_t (Parser::*operand)()) {
    std::uint32_t left = (this->*operand)();
    while (true) {
      const int column = current().column;
      const Operator* found = accept_any(operators);
      if (found == nullptr) return left;
      left = add(found->op, column, left, (this->*operand)());
    }
  }

  std::uint32_t sum() { return left_to_right(kSums, &Parser::product); }
  std::uint32_t product() { return left_to_right(kProducts, &Parser::signed_power); }

  std::uint32_t signed_power() {
    const Level level(*this);
    if (const std::optional<int> column = accept("-")) return add(Op::negate, *column, signed_power());
    if (const std::optional<int> column = accept("+")) return add(Op::plus, *column, signed_power());
    const std::uint32_t base = primary();
    const std::optional<int> column = accept("**");
    return column ? add(Op::power, *column, base, signed_power()) : base;
  }

  std::uint32_t primary() {
    if (accept("(")) {
      const std::uint32_t inner = conditional();
      expect(")");
      return inner;
    }
    const Token& token = current();
    if (token.kind == Token::Kind::number || token.kind == Token::Kind::text) {
      ++next_;
      return constant(token.value, token.column);
    }
    if (token.kind != Token::Kind::name || contains(kKeywords, token.word)) fail("a value");
    ++next_;
    if (contains(kBooleans, token.word)) {
      return constant(token.word == "true" || token.word == "True", token.column);
    }
    return accept("(") ? call(token) : name(token);
  }

  std::uint32_t constant(const Value& value, int column) {
    program_.constants.push_back(value);
    return add(Op::constant, column, static_cast<std::uint32_t>(program_.constants.size() - 1));
  }

  std::uint32_t name(const Token& token) {
    auto& names = program_.names;
    const auto known = std::find(names.begin(), names.end(), token.word);
    const auto slot = static_cast<std::uint32_t>(known - names.begin());
    if (known == names.end()) {
      names.emplace_back(token.word);
      program_.name_columns.push_back(token.column);
    }
    return add(Op::name, token.column, slot);
  }

  std::uint32_t call(const Token& token) {
    const std::string word(token.word);
    const std::optional<std::uint32_t> function = find_function(word);
    if (!function) {
      const std::string suggestion = nearest(word, function_names());
      throw ExpressionError("unknown function '" + word + "'", token.column,
                            suggestion.empty() ? "" : "did you mean '" + suggestion + "'?");
    }
    std::vector<std::uint32_t> arguments;
    if (!at(")")) {
      do arguments.push_back(conditional());
      while (accept(","));
    }
    if (!at(")")) fail("',' or ')'");
    ++next_;
    check_count(functions()[*function], arguments.size(), token.column);
    const auto first = static_cast<std::uint32_t>(program_.arguments.size());
    program_.arguments.insert(program_.arguments.end(), arguments.begin(), arguments.end());
    return add(Op::call, token.column, first, static_cast<std::uint32_t>(arguments.size()), *function);
  }

  static void check_count(const Function& function, std::size_t count, int column) {
    if (count >= function.fewest_arguments && count <= function.most_arguments) return;
    const bool open = function.most_arguments > function.fewest_arguments;
    const std::size_t fewest = function.fewest_arguments;
    throw ExpressionError("'" + std::string(function.name) + "' takes " + std::to_string(fewest) +
                              (open          ? " or more arguments"
                               : fewest == 1 ? " argument"
                                             : " arguments") +
                              ", found " + std::to_string(count),
                          column);
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  ExpressionProgram program_;
};

}  // namespace

ExpressionProgram parse_expression(std::string_view text) {
  if (text.size() > kLongestExpression) {
    throw ExpressionError(
        "the expression has more than " + std::to_string(kLongestExpression) + " characters", -1);
  }
  return Parser(text).run();
}

bool is_expression_word(std::string_view word) {
  return contains(kKeywords, word) || contains(kBooleans, word) || find_function(word).has_value();
}

}  // namespace tailwave
