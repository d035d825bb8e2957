#include "adopt/term_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "adopt/element_names.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 6> kComparisons{"<", ">", "<=", ">=", "==", "!="};

// For a factor: a name or a call stays as it is.
std::string in_brackets(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
  return plain ? text : "(" + text + ")";
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Whether people call a function or macro like that which rounds a quotient up: divUp, ceil_div, CEILDIV, iDivUp.
bool rounds_up(const std::string& name) {
  const std::string small = lower(name);
  const bool up = small.find("up") != std::string::npos || small.find("ceil") != std::string::npos;
  return small.ends_with("cdiv") || (small.find("div") != std::string::npos && up);
}

std::string last_scope(const std::string& name) {
  const auto colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

class Reader {
 public:
  explicit Reader(NameMeanings& names) : names_(names) {}

  std::optional<Polynomial> read(const CTerm& term) {
    switch (term.kind) {
      case CTerm::Kind::number:
        return read_number(term.text);
      case CTerm::Kind::name:
        if (term.text == "true" || term.text == "false") return Polynomial(term.text == "true" ? 1 : 0);
        return names_.meaning(term.text);
      case CTerm::Kind::call:
        return read_call(term);
      case CTerm::Kind::unary:
        return read_unary(term);
      case CTerm::Kind::binary:
        return read_binary(term);
      case CTerm::Kind::conditional:
        return read_conditional(term);
      case CTerm::Kind::index: {
        const std::string element = element_name(term);
        return element.empty() ? std::nullopt : names_.meaning(element);
      }
    }
    return std::nullopt;
  }

 private:
  // 256.0 is as good as 256 where sizes are computed.
  static std::optional<Polynomial> read_number(const std::string& text) {
    if (const auto whole = integer_of(text)) return Polynomial(*whole);
    const auto real = number_of(text);
    constexpr double kLargest = 1e15;
    if (!real || *real < -kLargest || *real > kLargest) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(*real);
    if (static_cast<double>(whole) != *real) return std::nullopt;
    return Polynomial(whole);
  }

  std::optional<Polynomial> read_call(const CTerm& term) {
    const std::string name = last_scope(term.text);
    if (name == "sizeof" && term.parts.size() == 1) {
      const auto type = element_named(term.parts[0].text);
      if (!type) return names_.meaning("sizeof " + term.parts[0].text);
      return Polynomial(static_cast<std::int64_t>(size_bytes(type->scalar)) * type->lanes);
    }
    if (term.parts.size() == 2 && rounds_up(name)) {
      const auto value = read(term.parts[0]), divisor = read(term.parts[1]);
      if (value && divisor) return ceil_div(*value, *divisor);
    }
    if (term.parts.size() == 2 && (name == "__mul24" || name == "__umul24"))
      return read_binary({CTerm::Kind::binary, "*", term.parts});
    if (term.parts.size() == 2 && (name == "min" || name == "max")) {
      const auto left = read(term.parts[0]), right = read(term.parts[1]);
      if (!left || !right) return std::nullopt;
      return Polynomial::factor(fmt::format("{}({}, {})", name, left->text(), right->text()));
    }
    if (const auto value = depth_ < kDeepest ? names_.returned_by(term) : std::nullopt) {
      ++depth_;
      auto result = read(*value);
      --depth_;
      return result;
    }
    if (term.parts.size() != 1) return std::nullopt;
    if (name == "ceil" || name == "ceilf") return read_ceil(term.parts[0]);
    return is_cast(term) || name == "dim3" ? read(term.parts[0]) : std::nullopt;
  }

  // Which is the value itself.
  bool is_cast(const CTerm& term) {
    return term.kind == CTerm::Kind::call && term.parts.size() == 1 &&
           (element_named(term.text) || names_.is_type(term.text));
  }
  const CTerm& without_casts(const CTerm& term) {
    return is_cast(term) ? without_casts(term.parts[0]) : term;
  }

  // ceil(n / 256.0), perhaps with casts around it.
  std::optional<Polynomial> read_ceil(const CTerm& inside) {
    const CTerm& term = without_casts(inside);
    if (!is_binary(term, "/")) return read(term);
    const auto value = read(term.parts[0]), divisor = read(term.parts[1]);
    if (!value || !divisor) return std::nullopt;
    return ceil_div(*value, *divisor);
  }

  std::optional<Polynomial> read_unary(const CTerm& term) {
    auto value = read(term.parts[0]);
    if (!value) return std::nullopt;
    if (term.text == "+") return value;
    if (term.text == "-") return Polynomial() - *value;
    return std::nullopt;
  }

  std::optional<Polynomial> read_binary(const CTerm& term) {
    if (term.text == "&") return read_mask(term);
    const std::string& op = term.text;
    if (op == "+")
      if (auto quotient = read_rounded_up(term.parts[0], term.parts[1])) return quotient;
    const auto left = read(term.parts[0]), right = read(term.parts[1]);
    if (!left || !right) return std::nullopt;
    if (op == "+") return *left + *right;
    if (op == "-") return *left - *right;
    if (op == "*") return *left * *right;
    if (op == "/") return divide(*left, *right);
    if (op == "%" && left->is_number() && right->is_number() && right->number() > 0)
      return Polynomial(left->number() % right->number());
    if (op == "%")
      return Polynomial::factor(
          fmt::format("({} % {})", in_brackets(left->text()), in_brackets(right->text())));
    if (op == "<<" || op == ">>") return shift(*left, *right, op == "<<");
    return std::nullopt;
  }

  // (n + 31) & ~31 is a multiple of 32, n & 31 a remainder.
  std::optional<Polynomial> read_mask(const CTerm& term) {
    const CTerm& mask = term.parts[1];
    const bool rounds = mask.kind == CTerm::Kind::unary && mask.text == "~";
    const auto value = read(term.parts[0]), ones = read(rounds ? mask.parts[0] : mask);
    if (!value || !ones || !ones->is_number() || ones->number() < 1) return std::nullopt;
    const std::int64_t size = ones->number() + 1;
    if ((size & ones->number()) != 0) return std::nullopt;
    const auto blocks = divide(*value, size);
    if (!blocks || rounds) return blocks ? std::optional(*blocks * size) : std::nullopt;
    if (value->is_number()) return Polynomial(value->number() % size);
    return Polynomial::factor(fmt::format("({} % {})", in_brackets(value->text()), size));
  }

  // "(n - 1) / B + 1", "n / B + (n % B != 0)", "n / B + (n % B ? 1 : 0)".
  std::optional<Polynomial> read_rounded_up(const CTerm& left, const CTerm& right) {
    const CTerm& quotient = without_casts(left);
    if (!is_binary(quotient, "/")) return std::nullopt;
    const auto whole = read(quotient.parts[0]), divisor = read(quotient.parts[1]);
    if (!whole || !divisor) return std::nullopt;
    const auto more = right.kind == CTerm::Kind::number ? read(right) : std::nullopt;
    const bool is_one_less = whole->degree() > 0 && whole->number() == -1;
    if (more == Polynomial(1) && is_one_less) return ceil_div(*whole + 1, *divisor);
    const auto with_rest = is_one_for_rest(without_casts(right), *whole, *divisor);
    return with_rest ? std::optional(ceil_div(*whole, *divisor)) : std::nullopt;
  }

  bool is_one_for_rest(const CTerm& term, const Polynomial& whole, const Polynomial& divisor) {
    const auto is = [&](const CTerm& part, std::int64_t number) { return read(part) == Polynomial(number); };
    if (term.kind == CTerm::Kind::conditional && is(term.parts[1], 1) && is(term.parts[2], 0))
      return is_rest(term.parts[0], whole, divisor) || is_one_for_rest(term.parts[0], whole, divisor);
    if (term.kind == CTerm::Kind::conditional && is(term.parts[1], 0) && is(term.parts[2], 1))
      return is_binary(term.parts[0], "==") && is(term.parts[0].parts[1], 0) &&
             is_rest(term.parts[0].parts[0], whole, divisor);
    const bool compares = is_binary(term, "!=") || is_binary(term, ">");
    return compares && is(term.parts[1], 0) && is_rest(term.parts[0], whole, divisor);
  }
  bool is_rest(const CTerm& term, const Polynomial& whole, const Polynomial& divisor) {
    const CTerm& rest = without_casts(term);
    return is_binary(rest, "%") && read(rest.parts[0]) == whole && read(rest.parts[1]) == divisor;
  }
  static bool is_binary(const CTerm& term, const char* op) {
    return term.kind == CTerm::Kind::binary && term.text == op;
  }

  static std::optional<Polynomial> shift(const Polynomial& value, const Polynomial& by, bool left) {
    constexpr std::int64_t kMost = 40;
    if (by.is_number() && (by.number() < 0 || by.number() > kMost)) return std::nullopt;
    const Polynomial power = by.is_number() ? Polynomial(std::int64_t{1} << by.number())
                                            : Polynomial::factor(fmt::format("pow2({})", by.text()));
    return left ? value * power : divide(value, power);
  }

  static std::optional<Polynomial> divide(const Polynomial& value, const Polynomial& divisor) {
    if (divisor == Polynomial(0)) return std::nullopt;
    if (value.is_number() && divisor.is_number()) return Polynomial(value.number() / divisor.number());
    if (auto exact = value.divided_by(divisor)) return exact;
    // (n + B - 1) / B, (n - 2 + B - 1) / B
    const Polynomial rest = value - divisor + 1, factors = rest - rest.number();
    const bool is_less = rest.number() < 0 && (!divisor.is_number() || value.number() > 0);
    if (rest.degree() > 0 && (rest.number() == 0 || is_less) && rest != value &&
        factors.coefficient_is_positive())
      return ceil_div(rest, divisor);
    return Polynomial::factor(
        fmt::format("({} // {})", in_brackets(value.text()), in_brackets(divisor.text())));
  }

  std::optional<Polynomial> read_conditional(const CTerm& term) {
    if (const auto holds = holds_always(term.parts[0], names_)) return read(term.parts[*holds ? 1 : 2]);
    const auto condition = read_condition(term.parts[0]);
    const auto then = read(term.parts[1]), otherwise = read(term.parts[2]);
    if (!condition || !then || !otherwise) return std::nullopt;
    return Polynomial::factor(fmt::format("({} if {} else {})", then->text(), *condition, otherwise->text()));
  }

  std::optional<std::string> read_condition(const CTerm& term) {
    if (term.kind != CTerm::Kind::binary || !among(term.text, kComparisons)) {
      const auto value = read(term);
      return value ? std::optional(in_brackets(value->text()) + " != 0") : std::nullopt;
    }
    const auto left = read(term.parts[0]), right = read(term.parts[1]);
    if (!left || !right) return std::nullopt;
    return fmt::format("{} {} {}", left->text(), term.text, right->text());
  }

  static constexpr int kDeepest = 8;  // functions that call others
  NameMeanings& names_;
  int depth_ = 0;
};

bool compare(std::int64_t left, const std::string& op, std::int64_t right) {
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (op == "<=") return left <= right;
  if (op == ">=") return left >= right;
  return (left == right) == (op == "==");
}

}  // namespace

std::optional<bool> holds_always(const CTerm& condition, NameMeanings& names) {
  const std::string& op = condition.text;
  if (condition.kind == CTerm::Kind::unary && op == "!") {
    const auto inner = holds_always(condition.parts[0], names);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (condition.kind == CTerm::Kind::binary && (op == "&&" || op == "||")) {
    const auto left = holds_always(condition.parts[0], names),
               right = holds_always(condition.parts[1], names);
    const bool decides = op == "||";  // one of them alone
    if (left == decides || right == decides) return decides;
    return left && right ? std::optional(!decides) : std::nullopt;
  }
  if (condition.kind != CTerm::Kind::binary || !among(op, kComparisons)) {
    const auto value = to_polynomial(condition, names);
    return value && value->is_number() ? std::optional(value->number() != 0) : std::nullopt;
  }
  const auto left = to_polynomial(condition.parts[0], names),
             right = to_polynomial(condition.parts[1], names);
  if (!left || !right || !left->is_number() || !right->is_number()) return std::nullopt;
  return compare(left->number(), op, right->number());
}

std::optional<Polynomial> to_polynomial(const CTerm& term, NameMeanings& names) {
  return Reader(names).read(term);
}

}  // namespace tailwave
