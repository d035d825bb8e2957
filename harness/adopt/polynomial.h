#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"

namespace tailwave {

// A size or an index: a sum of products of whole numbers and factors. A factor is a name ("n", "blockIdx.x") or
// another expression of the manifest's language in one piece ("ceil_div(n, BLOCK_SIZE)", "(n // 2)").
class Polynomial {
 public:
  using Factors = std::vector<std::string>;  // sorted

  Polynomial() = default;           // 0
  Polynomial(std::int64_t number);  // NOLINT(google-explicit-constructor): numbers are polynomials
  static Polynomial factor(const std::string& text);

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  bool operator==(const Polynomial&) const = default;

  // Without a remainder, by something that is one product; empty where there would be one.
  [[nodiscard]] std::optional<Polynomial> divided_by(const Polynomial& divisor) const;
  // What multiplies a factor, where that is to the first power.
  [[nodiscard]] Polynomial coefficient_of(const std::string& factor) const;
  [[nodiscard]] Polynomial without(const std::string& factor) const;  // the products that lack it
  [[nodiscard]] Polynomial substituted(const std::string& factor, const Polynomial& value) const;
  // With a number for a name, wherever it stands in factors.
  [[nodiscard]] Polynomial with_number(const std::string& name, std::int64_t number) const;
  // A negative number left out of what has more than a number: n for n - 1.
  [[nodiscard]] Polynomial without_slack() const;
  // The products of the highest degree alone.
  [[nodiscard]] Polynomial leading() const;

  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool coefficient_is_positive() const;  // of each product
  [[nodiscard]] std::int64_t number() const;           // the part without factors
  [[nodiscard]] bool has(const std::string& factor) const;
  [[nodiscard]] int degree() const;
  [[nodiscard]] std::vector<std::string> factors() const;  // each once
  [[nodiscard]] std::vector<Polynomial> products() const;  // whose sum it is
  // In the manifest's language: "n * m + 2".
  [[nodiscard]] std::string text() const;
  // Empty where a name has no value or the value is no whole number.
  [[nodiscard]] std::optional<std::int64_t> value(const Values& scope) const;

 private:
  void add(const Factors& factors, std::int64_t coefficient);

  std::map<Factors, std::int64_t> products_;
};

// ceil_div(value, divisor), or what that is without a division.
Polynomial ceil_div(const Polynomial& value, const Polynomial& divisor);

}  // namespace tailwave
