#include "adopt/real_value.h"

#include <cmath>

namespace tailwave {
namespace {

struct HostNumber {
  double value = 0;
  bool is_whole = false;  // of a whole type, of which a quotient is whole, too
};

class RealReader {
 public:
  RealReader(Draft& draft, std::size_t place) : draft_(draft), place_(place) {}

  std::optional<HostNumber> read(const CTerm& term, int depth) {
    constexpr int kDeepest = 16;  // variables made of variables, and terms of terms
    if (depth > kDeepest) return std::nullopt;
    switch (term.kind) {
      case CTerm::Kind::number:
        if (const auto number = number_of(term.text))
          return HostNumber{*number, integer_of(term.text).has_value()};
        return std::nullopt;
      case CTerm::Kind::name:
        return read_name(term.text, depth);
      case CTerm::Kind::unary:
        return read_unary(term, depth);
      case CTerm::Kind::binary:
        return read_binary(term, depth);
      case CTerm::Kind::call:
        return read_call(term, depth);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<HostNumber> read_name(const std::string& name, int depth) {
    const auto type = element_named(draft_.host.type_of(name, place_), draft_.aliases);
    const bool is_whole = !type || !is_real(type->scalar);
    HostScope scope(draft_, place_, false);
    const auto size = is_whole ? scope.meaning(name) : std::nullopt;
    if (const auto whole = size ? size->value(draft_.defaults()) : std::nullopt)
      return HostNumber{static_cast<double>(*whole), true};
    const auto definition = scope.definition_of(name);
    auto value = definition ? read(*definition, depth + 1) : std::nullopt;
    if (value && type) value->is_whole = is_whole;
    return value;
  }

  std::optional<HostNumber> read_unary(const CTerm& term, int depth) {
    auto value = read(term.parts[0], depth + 1);
    if (!value || (term.text != "-" && term.text != "+")) return std::nullopt;
    if (term.text == "-") value->value = -value->value;
    return value;
  }

  std::optional<HostNumber> read_binary(const CTerm& term, int depth) {
    const auto left = read(term.parts[0], depth + 1), right = read(term.parts[1], depth + 1);
    if (!left || !right) return std::nullopt;
    const bool is_whole = left->is_whole && right->is_whole;
    if (term.text == "+") return HostNumber{left->value + right->value, is_whole};
    if (term.text == "-") return HostNumber{left->value - right->value, is_whole};
    if (term.text == "*") return HostNumber{left->value * right->value, is_whole};
    if (term.text != "/" || right->value == 0) return std::nullopt;
    const double quotient = left->value / right->value;
    return HostNumber{is_whole ? std::trunc(quotient) : quotient, is_whole};
  }

  std::optional<HostNumber> read_call(const CTerm& term, int depth) {
    const auto type = element_named(term.text, draft_.aliases);
    auto value = type && term.parts.size() == 1 ? read(term.parts[0], depth + 1) : std::nullopt;
    if (!value) return std::nullopt;
    value->is_whole = !is_real(type->scalar);
    if (value->is_whole) value->value = std::trunc(value->value);
    return value;
  }

  Draft& draft_;
  std::size_t place_;
};

}  // namespace

std::optional<double> real_value(Draft& draft, const CTerm& term, std::size_t place) {
  const auto number = RealReader(draft, place).read(term, 0);
  return number && std::isfinite(number->value) ? std::optional(number->value) : std::nullopt;
}

}  // namespace tailwave
