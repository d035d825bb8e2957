#include "space/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/error.h"
#include "space/expression.h"
#include "space/functions.h"
#include "space/lexer.h"
#include "space/token_cursor.h"

namespace tailwave {
namespace {

constexpr int kDeepest = 300;  // levels of the grammar; parentheses take three

constexpr std::array<Operator, 7> kComparisons{{{"<", Op::less},
                                                {"<=", Op::less_equal},
                                                {">", Op::greater},
                                                {">=", Op::greater_equal},
                                                {"==", Op::equal},
                                                {"!=", Op::not_equal},
                                                {"in", Op::contained}}};
constexpr std::array<Operator, 2> kSums{{{"+", Op::add}, {"-", Op::subtract}}};
constexpr std::array<Operator, 4> kProducts{
    {{"*", Op::multiply}, {"/", Op::divide}, {"//", Op::floor_divide}, {"%", Op::modulo}}};

constexpr std::array<std::string_view, 7> kKeywords{"and", "or", "not", "if", "else", "in", "for"};
constexpr std::array<std::string_view, 4> kBooleans{"true", "True", "false", "False"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Recursive descent, one function for each level of Python's grammar, loosest first.
class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(tokenize(text)) { program_.text = text; }

  // `takes_items`: "1, 2" is a list, too.
  ExpressionProgram run(bool takes_items) {
    if (cursor_.at_end()) throw ExpressionError("the expression is empty", 0);
    const std::uint32_t first = conditional();
    program_.root = takes_items && cursor_.at(",") ? items_after(first, 0) : first;
    if (!cursor_.at_end()) cursor_.fail("an operator");
    return std::move(program_);
  }

 private:
  // Counts nesting, so that a hostile text cannot exhaust the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > kDeepest) {
        throw ExpressionError("the expression is nested too deeply", parser.cursor_.current().column);
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  std::uint32_t add(Op op, int column, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = kNoNode) {
    program_.nodes.push_back({op, column, a, b, c});
    return static_cast<std::uint32_t>(program_.nodes.size() - 1);
  }

  std::uint32_t conditional() {
    const Level level(*this);
    const std::uint32_t value = disjunction();
    const std::optional<int> column = cursor_.accept("if");
    if (!column) return value;
    const std::uint32_t condition = disjunction();
    cursor_.expect("else");
    return add(Op::conditional, *column, value, condition, conditional());
  }

  std::uint32_t disjunction() {
    std::uint32_t left = conjunction();
    while (const std::optional<int> column = cursor_.accept("or")) {
      left = add(Op::logical_or, *column, left, conjunction());
    }
    return left;
  }

  std::uint32_t conjunction() {
    std::uint32_t left = negation();
    while (const std::optional<int> column = cursor_.accept("and")) {
      left = add(Op::logical_and, *column, left, negation());
    }
    return left;
  }

  std::uint32_t negation() {
    const Level level(*this);
    if (const std::optional<int> column = cursor_.accept("not"))
      return add(Op::logical_not, *column, negation());
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
    const int column = cursor_.current().column;
    if (cursor_.at("not") && TokenCursor::is(cursor_.after_current(), "in")) {
      cursor_.take();
      cursor_.take();
      return add(Op::lacking, column, left, sum());
    }
    const Operator* found = cursor_.accept_any(kComparisons);
    return found == nullptr ? kNoNode : add(found->op, column, left, sum());
  }

  template <std::size_t size>
  std::uint32_t left_to_right(const std::array<Operator, size>& operators,
                              std::uint32_t (Parser::*operand)()) {
    std::uint32_t left = (this->*operand)();
    while (true) {
      const int column = cursor_.current().column;
      const Operator* found = cursor_.accept_any(operators);
      if (found == nullptr) return left;
      left = add(found->op, column, left, (this->*operand)());
    }
  }

  std::uint32_t sum() { return left_to_right(kSums, &Parser::product); }
  std::uint32_t product() { return left_to_right(kProducts, &Parser::signed_power); }

  std::uint32_t signed_power() {
    const Level level(*this);
    if (const std::optional<int> column = cursor_.accept("-"))
      return add(Op::negate, *column, signed_power());
    if (const std::optional<int> column = cursor_.accept("+")) return add(Op::plus, *column, signed_power());
    const std::uint32_t base = subscripted();
    const std::optional<int> column = cursor_.accept("**");
    return column ? add(Op::power, *column, base, signed_power()) : base;
  }

  std::uint32_t subscripted() {
    std::uint32_t value = primary();
    while (const std::optional<int> column = cursor_.accept("[")) {
      value = add(Op::subscript, *column, value, conditional());
      cursor_.expect("]");
    }
    return value;
  }

  std::uint32_t primary() {
    if (const std::optional<int> column = cursor_.accept("(")) return parenthesised(*column);
    if (const std::optional<int> column = cursor_.accept("[")) {
      if (const auto first_for = cursor_.find_ahead("for")) return comprehension(*first_for, "]", *column);
      return list("]", *column);
    }
    const Token& token = cursor_.current();
    if (token.kind == Token::Kind::number || token.kind == Token::Kind::text) {
      cursor_.take();
      return constant(token.value, token.column);
    }
    if (token.kind != Token::Kind::name || contains(kKeywords, token.word)) cursor_.fail("a value");
    cursor_.take();
    if (contains(kBooleans, token.word)) {
      return constant(token.word == "true" || token.word == "True", token.column);
    }
    return cursor_.accept("(") ? call(token) : name(token);
  }

  // Grouping, or a tuple, which is a list here.
  std::uint32_t parenthesised(int column) {
    if (const auto first_for = cursor_.find_ahead("for")) return comprehension(*first_for, ")", column);
    if (cursor_.at(")")) return list(")", column);
    const std::uint32_t inner = conditional();
    const std::uint32_t value = cursor_.at(",") ? items_after(inner, column) : inner;
    cursor_.expect(")");
    return value;
  }

  std::uint32_t list(std::string_view close, int column) {
    std::uint32_t items = kNoNode;
    if (!cursor_.at(close)) items = items_after(conditional(), column);
    if (!cursor_.at(close)) cursor_.fail("',' or '" + std::string(close) + "'");
    cursor_.take();
    return items == kNoNode ? add_list({}, column) : items;
  }

  // A list of `first` and what follows commas; a comma may be the last.
  std::uint32_t items_after(std::uint32_t first, int column) {
    std::vector<std::uint32_t> items{first};
    while (cursor_.accept(",") && !cursor_.at_end() && !cursor_.at("]") && !cursor_.at(")"))
      items.push_back(conditional());
    return add_list(items, column);
  }

  std::uint32_t add_list(const std::vector<std::uint32_t>& items, int column) {
    const auto first = static_cast<std::uint32_t>(program_.arguments.size());
    program_.arguments.insert(program_.arguments.end(), items.begin(), items.end());
    return add(Op::list, column, first, static_cast<std::uint32_t>(items.size()));
  }

  // ELEMENT for NAME in LIST if CONDITION ...: the element comes first and is read last, when its names are known.
  std::uint32_t comprehension(std::size_t first_for, std::string_view close, int column) {
    const Level level(*this);
    const std::size_t element = cursor_.place();
    const std::size_t outer_locals = locals_.size();
    std::vector<std::uint32_t> clauses;
    cursor_.go_to(first_for);
    while (cursor_.at("for") || cursor_.at("if")) clauses.push_back(clause());
    if (!cursor_.at(close)) cursor_.fail("'" + std::string(close) + "'");
    const std::size_t end = cursor_.place() + 1;
    cursor_.go_to(element);
    std::uint32_t body = conditional();
    if (cursor_.place() != first_for) cursor_.fail("'for'");
    std::for_each(clauses.rbegin(), clauses.rend(), [&](std::uint32_t each) {
      program_.nodes[each].c = body;
      body = each;
    });
    cursor_.go_to(end);
    locals_.resize(outer_locals);
    return add(Op::comprehension, column, body);
  }

  std::uint32_t clause() {
    if (const std::optional<int> column = cursor_.accept("if"))
      return add(Op::keep_if, *column, disjunction());
    const int column = cursor_.take().column;
    const Token& target = cursor_.current();
    if (target.kind != Token::Kind::name || is_expression_word(target.word)) cursor_.fail("a name");
    cursor_.take();
    cursor_.expect("in");
    const std::uint32_t items = disjunction();
    locals_.emplace_back(target.word, program_.locals);
    return add(Op::each, column, items, program_.locals++);
  }

  std::uint32_t constant(const Value& value, int column) {
    program_.constants.push_back(value);
    return add(Op::constant, column, static_cast<std::uint32_t>(program_.constants.size() - 1));
  }

  std::uint32_t name(const Token& token) {
    const auto local = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const auto& entry) { return entry.first == token.word; });
    if (local != locals_.rend()) return add(Op::local, token.column, local->second);
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
    if (const auto first_for = cursor_.find_ahead("for")) {
      arguments.push_back(comprehension(*first_for, ")", token.column));
    } else {
      if (!cursor_.at(")")) {
        do arguments.push_back(conditional());
        while (cursor_.accept(","));
      }
      if (!cursor_.at(")")) cursor_.fail("',' or ')'");
      cursor_.take();
    }
    check_count(functions()[*function], arguments.size(), token.column);
    const auto first = static_cast<std::uint32_t>(program_.arguments.size());
    program_.arguments.insert(program_.arguments.end(), arguments.begin(), arguments.end());
    return add(Op::call, token.column, first, static_cast<std::uint32_t>(arguments.size()), *function);
  }

  static void check_count(const Function& function, std::size_t count, int column) {
    if (count >= function.fewest_arguments && count <= function.most_arguments) return;
    const std::size_t fewest = function.fewest_arguments, most = function.most_arguments;
    std::string range = most > 9 ? " or more" : most > fewest ? " to " + std::to_string(most) : "";
    range += most == 1 ? " argument" : " arguments";
    throw ExpressionError("'" + std::string(function.name) + "' takes " + std::to_string(fewest) + range +
                              ", found " + std::to_string(count),
                          column);
  }

  TokenCursor cursor_;
  std::vector<std::pair<std::string_view, std::uint32_t>> locals_;  // names of comprehensions and their slots
  int depth_ = 0;
  ExpressionProgram program_;
};

}  // namespace

ExpressionProgram parse_expression(std::string_view text, bool is_list) {
  const std::size_t longest = is_list ? kLongestList : kLongestExpression;
  if (text.size() > longest) {
    throw ExpressionError("the expression has more than " + std::to_string(longest) + " characters", -1);
  }
  return Parser(text).run(is_list);
}

bool is_expression_word(std::string_view word) {
  return contains(kKeywords, word) || contains(kBooleans, word) || find_function(word).has_value();
}

}  // namespace tailwave
