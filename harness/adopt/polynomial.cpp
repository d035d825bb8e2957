#include "adopt/polynomial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "space/expression.h"

namespace tailwave {
namespace {

bool multiply_overflows(std::int64_t left, std::int64_t right, std::int64_t& product) {
  return __builtin_mul_overflow(left, right, &product);
}

// Another text for a whole word, wherever it stands.
std::string with_word(const std::string& text, const std::string& word, const std::string& other) {
  const auto of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  std::string result = text;
  for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !of_word(result[at - 1])) && (end == result.size() || !of_word(result[end]));
    if (whole) result.replace(at, word.size(), other);
    at += whole ? other.size() : word.size();
  }
  return result;
}

}  // namespace

Polynomial::Polynomial(std::int64_t number) {
  add({}, number);
}

Polynomial Polynomial::factor(const std::string& text) {
  Polynomial one;
  one.add({text}, 1);
  return one;
}

void Polynomial::add(const Factors& factors, std::int64_t coefficient) {
  std::int64_t& sum = products_[factors];
  if (__builtin_add_overflow(sum, coefficient, &sum)) sum = 0;
  if (sum == 0) products_.erase(factors);
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  for (const auto& [factors, coefficient] : other.products_) sum.add(factors, coefficient);
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial product;
  for (const auto& [left, a] : products_)
    for (const auto& [right, b] : other.products_) {
      Factors all = left;
      all.insert(all.end(), right.begin(), right.end());
      std::sort(all.begin(), all.end());
      std::int64_t coefficient = 0;
      if (!multiply_overflows(a, b, coefficient)) product.add(all, coefficient);
    }
  return product;
}

std::optional<Polynomial> Polynomial::divided_by(const Polynomial& divisor) const {
  if (divisor.products_.size() != 1) return std::nullopt;
  const auto& [by, number] = *divisor.products_.begin();
  Polynomial quotient;
  for (const auto& [factors, coefficient] : products_) {
    if (coefficient % number != 0 || !std::includes(factors.begin(), factors.end(), by.begin(), by.end()))
      return std::nullopt;
    Factors rest;
    std::set_difference(factors.begin(), factors.end(), by.begin(), by.end(), std::back_inserter(rest));
    quotient.add(rest, coefficient / number);
  }
  return quotient;
}

Polynomial Polynomial::coefficient_of(const std::string& factor) const {
  Polynomial coefficient;
  for (const auto& [factors, number] : products_) {
    if (std::count(factors.begin(), factors.end(), factor) != 1) continue;
    Factors rest = factors;
    rest.erase(std::find(rest.begin(), rest.end(), factor));
    coefficient.add(rest, number);
  }
  return coefficient;
}

Polynomial Polynomial::without(const std::string& factor) const {
  Polynomial rest;
  for (const auto& [factors, number] : products_)
    if (std::find(factors.begin(), factors.end(), factor) == factors.end()) rest.add(factors, number);
  return rest;
}

Polynomial Polynomial::substituted(const std::string& factor, const Polynomial& value) const {
  Polynomial result;
  for (const auto& [factors, number] : products_) {
    Polynomial product(number);
    for (const std::string& each : factors)
      product = product * (each == factor ? value : Polynomial::factor(each));
    result = result + product;
  }
  return result;
}

Polynomial Polynomial::with_number(const std::string& name, std::int64_t number) const {
  Polynomial result;
  for (const auto& [factors, coefficient] : products_) {
    Polynomial product(coefficient);
    for (const std::string& each : factors) {
      product = product *
                (each == name ? Polynomial(number) : factor(with_word(each, name, std::to_string(number))));
    }
    result = result + product;
  }
  return result;
}

Polynomial Polynomial::without_slack() const {
  return degree() > 0 && number() < 0 ? *this - Polynomial(number()) : *this;
}

Polynomial Polynomial::leading() const {
  Polynomial result;
  for (const auto& [factors, number] : products_)
    if (static_cast<int>(factors.size()) == degree()) result.add(factors, number);
  return result;
}

bool Polynomial::is_number() const {
  return degree() == 0;
}

bool Polynomial::coefficient_is_positive() const {
  return std::all_of(products_.begin(), products_.end(), [](const auto& each) { return each.second > 0; });
}

std::int64_t Polynomial::number() const {
  const auto found = products_.find({});
  return found == products_.end() ? 0 : found->second;
}

bool Polynomial::has(const std::string& factor) const {
  return std::any_of(products_.begin(), products_.end(), [&](const auto& each) {
    return std::find(each.first.begin(), each.first.end(), factor) != each.first.end();
  });
}

int Polynomial::degree() const {
  std::size_t most = 0;
  for (const auto& each : products_) most = std::max(most, each.first.size());
  return static_cast<int>(most);
}

std::vector<std::string> Polynomial::factors() const {
  std::set<std::string> all;
  for (const auto& each : products_) all.insert(each.first.begin(), each.first.end());
  return {all.begin(), all.end()};
}

std::vector<Polynomial> Polynomial::products() const {
  std::vector<Polynomial> all;
  for (const auto& [factors, number] : products_) all.emplace_back().add(factors, number);
  return all;
}

std::string Polynomial::text() const {
  std::vector<std::pair<Factors, std::int64_t>> ordered(products_.begin(), products_.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  // What is subtracted comes behind what it is subtracted from.
  std::stable_partition(ordered.begin(), ordered.end(), [](const auto& each) { return each.second > 0; });
  std::string text;
  for (const auto& [factors, coefficient] : ordered) {
    const std::int64_t size = coefficient < 0 && coefficient != INT64_MIN ? -coefficient : coefficient;
    const std::string sign = text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    const bool show_number = size != 1 || factors.empty();
    text += sign + (show_number ? std::to_string(size) : "") +
            (show_number && !factors.empty() ? " * " : "") + fmt::format("{}", fmt::join(factors, " * "));
  }
  return text.empty() ? "0" : text;
}

std::optional<std::int64_t> Polynomial::value(const Values& scope) const {
  try {
    return Expression::parse(text()).evaluate_int(scope);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

Polynomial ceil_div(const Polynomial& value, const Polynomial& divisor) {
  if (divisor == Polynomial(1)) return value;
  if (value.is_number() && divisor.is_number() && divisor.number() > 0 && value.number() >= 0)
    return {(value.number() + divisor.number() - 1) / divisor.number()};
  if (const auto exact = value.divided_by(divisor)) return *exact;
  for (const std::int64_t prime : {2, 3, 5})
    if (const auto part = value.divided_by(prime); part && divisor.divided_by(prime))
      return ceil_div(*part, *divisor.divided_by(prime));
  return Polynomial::factor(fmt::format("ceil_div({}, {})", value.text(), divisor.text()));
}

}  // namespace tailwave
