#include "adopt/c_term.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "adopt/element_names.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 27> kTypeWords{
    "int",     "unsigned", "signed",   "long",    "short",   "char",     "float",         "double", "bool",
    "size_t",  "const",    "uint",     "int32_t", "int64_t", "uint32_t", "uint64_t",      "int8_t", "uint8_t",
    "int16_t", "uint16_t", "volatile", "std",     "::",      "half",     "__nv_bfloat16", "__half", "void"};
constexpr std::array<std::string_view, 4> kCasts{"static_cast", "reinterpret_cast", "const_cast", "bit_cast"};
constexpr int kDeepestTerm = 200;  // nested brackets and operators; more is no code that people write

// How tightly a binary operator binds; 0: it is none.
int binding(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, int>, 18> kBinding{{{"||", 1},
                                                                              {"&&", 2},
                                                                              {"|", 3},
                                                                              {"^", 4},
                                                                              {"&", 5},
                                                                              {"==", 6},
                                                                              {"!=", 6},
                                                                              {"<", 7},
                                                                              {">", 7},
                                                                              {"<=", 7},
                                                                              {">=", 7},
                                                                              {"<<", 8},
                                                                              {">>", 8},
                                                                              {"+", 9},
                                                                              {"-", 9},
                                                                              {"*", 10},
                                                                              {"/", 10},
                                                                              {"%", 10}}};
  const auto* const found =
      std::find_if(kBinding.begin(), kBinding.end(), [&](const auto& each) { return each.first == text; });
  return found == kBinding.end() ? 0 : found->second;
}

class TermParser {
 public:
  explicit TermParser(LexemeSpan lexemes) : lexemes_(lexemes) {}

  std::optional<CTerm> conditional() {
    if (++depth_ > kDeepestTerm) return std::nullopt;
    auto condition = binary(1);
    if (condition && take("?")) {
      auto then = conditional();
      if (!then || !take(":")) return std::nullopt;
      auto otherwise = conditional();
      if (!otherwise) return std::nullopt;
      condition = CTerm{
          CTerm::Kind::conditional, "?", {std::move(*condition), std::move(*then), std::move(*otherwise)}};
    }
    --depth_;
    return condition;
  }

  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  [[nodiscard]] std::string_view here(std::size_t ahead = 0) const {
    return at_ + ahead < lexemes_.size() ? lexemes_[at_ + ahead].text : std::string_view();
  }
  bool take(std::string_view text) {
    if (here() != text) return false;
    ++at_;
    return true;
  }

  std::optional<CTerm> binary(int least) {
    auto left = unary();
    while (left) {
      const std::string op(here());
      const int tight = binding(op);
      if (tight == 0 || tight < least) break;
      ++at_;
      auto right = binary(tight + 1);
      if (!right) return std::nullopt;
      left = CTerm{CTerm::Kind::binary, op, {std::move(*left), std::move(*right)}};
    }
    return left;
  }

  std::optional<CTerm> unary() {
    if (++depth_ > kDeepestTerm) return std::nullopt;
    std::optional<CTerm> term;
    const std::string op(here());
    if (op == "-" || op == "!" || op == "~" || op == "*" || op == "&" || op == "+") {
      ++at_;
      term = unary();
      if (term) term = CTerm{CTerm::Kind::unary, op, {std::move(*term)}};
    } else if (const std::size_t type = length_of_cast()) {
      const std::string name = joined(lexemes_.subspan(at_ + 1, type));
      at_ += type + 2;
      term = unary();
      if (term) term = CTerm{CTerm::Kind::call, name, {std::move(*term)}};
    } else {
      term = postfix();
    }
    --depth_;
    return term;
  }

  // The lexemes between the brackets of "(unsigned int)" and "(const float4*)"; 0 where that is not here. One name in brackets
  // before an operand is a type, too.
  [[nodiscard]] std::size_t length_of_cast() const {
    if (here() != "(") return 0;
    std::size_t length = 0;
    while (among(here(1 + length), kTypeWords) || (length > 0 && here(1 + length) == "*")) ++length;
    if (here(1 + length) == ")") return length;
    const std::size_t name = length_of_name();
    const std::string_view operand = here(2 + name);
    const bool has_operand = is_identifier(operand) || operand == "(" || number_of(operand);
    return name > 0 && here(1 + name) == ")" && has_operand ? name : length_of_pointer_cast();
  }

  // Of "index_t", "my::index" or "const index_t".
  [[nodiscard]] std::size_t length_of_name() const {
    std::size_t length = 0;
    while (is_identifier(here(1 + length)) || here(1 + length) == "::") ++length;
    return length;
  }

  // No value ends with a star: what stands in the brackets is a type, whatever its name.
  [[nodiscard]] std::size_t length_of_pointer_cast() const {
    if (!is_identifier(here(1)) && here(1) != "::") return 0;
    std::size_t length = 0;
    bool has_star = false;
    for (;; ++length) {
      const std::string_view word = here(1 + length);
      const bool of_name =
          is_identifier(word) || word == "::" || word == "<" || word == ">" || word == "," || number_of(word);
      const bool is_qualifier = word == "const" || word == "volatile" || word == "__restrict__";
      if (word != "*" && (!of_name || (has_star && !is_qualifier))) break;
      has_star = has_star || word == "*";
    }
    return has_star && here(1 + length) == ")" ? length : 0;
  }

  std::optional<CTerm> postfix() {
    auto term = primary();
    while (term) {
      if (here() == "[" || here() == "(") {
        const std::size_t end = closing(lexemes_, at_);
        if (end == lexemes_.size()) return std::nullopt;
        const LexemeSpan inner = lexemes_.subspan(at_ + 1, end - at_ - 1);
        const bool call = here() == "(";
        const bool of_member = call && term->kind == CTerm::Kind::call && term->text[0] == '.';
        if (call && term->kind != CTerm::Kind::name && !of_member) return std::nullopt;
        CTerm whole{call ? CTerm::Kind::call : CTerm::Kind::index, call ? term->text : "[]", {}};
        if (of_member) whole.parts = std::move(term->parts);
        if (!call) whole.parts.push_back(std::move(*term));
        for (const LexemeSpan part : split_at_commas(inner)) {
          auto argument = parse_nested(part);
          if (!argument) return std::nullopt;
          whole.parts.push_back(std::move(*argument));
        }
        if (!call && whole.parts.size() != 2) return std::nullopt;
        at_ = end + 1;
        term = std::move(whole);
      } else if ((here() == "." || here() == "->") && is_identifier(here(1))) {
        const std::string member = std::string(here()) + std::string(here(1));
        at_ += 2;
        if (term->kind == CTerm::Kind::name)
          term->text += member;
        else
          term = CTerm{CTerm::Kind::call, member, {std::move(*term)}};
        skip_template_arguments();
      } else {
        break;
      }
    }
    return term;
  }

  // Of what stands in brackets. A type as an argument, as of sizeof, is a name.
  [[nodiscard]] std::optional<CTerm> parse_nested(LexemeSpan part) const {
    const bool type = std::all_of(part.begin(), part.end(), [](const Lexeme& each) {
      return among(each.text, kTypeWords) || each.text == "*";
    });
    if (type && !part.empty()) return CTerm{CTerm::Kind::name, joined(part), {}};
    TermParser inner(part);
    inner.depth_ = depth_;
    auto term = inner.conditional();
    return term && inner.at_ == part.size() ? term : std::nullopt;
  }

  std::optional<CTerm> primary() {
    if (take("(")) {
      auto inner = conditional();
      if (!inner || !take(")")) return std::nullopt;
      return inner;
    }
    const std::string_view word = here();
    if (number_of(word)) {
      ++at_;
      return CTerm{CTerm::Kind::number, std::string(word), {}};
    }
    if (!is_identifier(word)) return std::nullopt;
    if (among(word, kCasts)) return named_cast();
    CTerm name{CTerm::Kind::name, std::string(word), {}};
    ++at_;
    while (here() == "::" && is_identifier(here(1))) {
      name.text += "::" + std::string(here(1));
      at_ += 2;
    }
    skip_template_arguments();
    if (here() != "{" || !element_named(name.text)) return name;
    const std::size_t end = closing(lexemes_, at_);
    if (end == lexemes_.size()) return std::nullopt;
    auto value = parse_nested(lexemes_.subspan(at_ + 1, end - at_ - 1));
    if (!value) return std::nullopt;
    at_ = end + 1;
    return CTerm{CTerm::Kind::call, name.text, {std::move(*value)}};
  }

  // static_cast<size_t>(x) is a call of the type.
  std::optional<CTerm> named_cast() {
    std::size_t i = at_ + 1;
    if (i >= lexemes_.size() || lexemes_[i].text != "<") return std::nullopt;
    const std::size_t first = ++i;
    for (int depth = 1; i < lexemes_.size(); ++i) {
      if (lexemes_[i].text == "<") ++depth;
      if (lexemes_[i].text == ">" && --depth == 0) break;
    }
    if (i + 1 >= lexemes_.size() || lexemes_[i + 1].text != "(") return std::nullopt;
    const std::string type = joined(lexemes_.subspan(first, i - first));
    const std::size_t end = closing(lexemes_, i + 1);
    if (end == lexemes_.size()) return std::nullopt;
    auto value = parse_nested(lexemes_.subspan(i + 2, end - i - 2));
    if (!value) return std::nullopt;
    at_ = end + 1;
    return CTerm{CTerm::Kind::call, type, {std::move(*value)}};
  }

  // Of a call "f<int>(": what stands between < and > are names and numbers then, directly followed by a bracket.
  void skip_template_arguments() {
    if (here() != "<") return;
    std::size_t ahead = 1;
    while (is_identifier(here(ahead)) || here(ahead) == "," || here(ahead) == "::" ||
           (!here(ahead).empty() && std::isdigit(static_cast<unsigned char>(here(ahead)[0])) != 0))
      ++ahead;
    if (ahead > 1 && here(ahead) == ">" && here(ahead + 1) == "(") at_ += ahead + 1;
  }

  LexemeSpan lexemes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string without_separators(std::string_view literal) {
  std::string digits;
  std::copy_if(literal.begin(), literal.end(), std::back_inserter(digits), [](char c) { return c != '\''; });
  return digits;
}

}  // namespace

std::string element_name(const CTerm& term) {
  const bool is_element = term.kind == CTerm::Kind::index && term.parts[0].kind == CTerm::Kind::name &&
                          term.parts[1].kind == CTerm::Kind::number;
  return is_element ? term.parts[0].text + "[" + term.parts[1].text + "]" : "";
}

std::optional<ParsedTerm> parse_leading_term(LexemeSpan lexemes) {
  TermParser parser(lexemes);
  auto term = parser.conditional();
  if (!term) return std::nullopt;
  return ParsedTerm{std::move(*term), parser.at()};
}

std::optional<CTerm> parse_term(LexemeSpan lexemes) {
  auto parsed = parse_leading_term(lexemes);
  if (!parsed || parsed->length != lexemes.size()) return std::nullopt;
  return std::move(parsed->term);
}

std::optional<long long> integer_of(std::string_view literal) {
  std::string digits = without_separators(literal);
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits[0])) == 0) return std::nullopt;
  int base = 10;
  std::string_view rest = digits;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    rest.remove_prefix(2);
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    rest.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  long long value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
  return value;
}

std::optional<double> number_of(std::string_view literal) {
  if (const auto whole = integer_of(literal)) return static_cast<double>(*whole);
  std::string digits = without_separators(literal);
  if (digits.empty() || (std::isdigit(static_cast<unsigned char>(digits[0])) == 0 && digits[0] != '.') ||
      digits == ".")
    return std::nullopt;
  if (std::string_view("fFlL").find(digits.back()) != std::string_view::npos) digits.pop_back();
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (end != digits.c_str() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace tailwave
