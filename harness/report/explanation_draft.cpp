#include "report/explanation_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailwave {

std::optional<Two> two(std::optional<double> fast, std::optional<double> slow) {
  if (!fast || !slow) return std::nullopt;
  return Two{*fast, *slow};
}

std::string against(ExplainedUnit unit, const Two& both) {
  return fmt::format("{} against {}", show(unit, both.fast), show(unit, both.slow));
}

bool differ(double one, double other, double share) {
  return std::abs(one - other) > share * std::max(std::abs(one), std::abs(other));
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

ExplainedNumber* ExplanationDraft::add(std::string quantity, ExplainedUnit unit, std::optional<double> a,
                                       std::optional<double> b) {
  if (!a && !b) return nullptr;
  return &explanation.numbers.emplace_back(ExplainedNumber{
      .quantity = std::move(quantity), .unit = unit, .a = a, .b = b, .note_a = {}, .note_b = {}, .says = {}});
}

void ExplanationDraft::say(ExplainedNumber* number, std::string sentence) const {
  if (number != nullptr && explanation.told_apart()) number->says = capital(std::move(sentence));
}

ExplainedNumber* ExplanationDraft::find(const std::string& quantity) {
  const auto found = std::ranges::find(explanation.numbers, quantity, &ExplainedNumber::quantity);
  return found == explanation.numbers.end() ? nullptr : &*found;
}

void ExplanationDraft::lead_with(const std::string& quantity, std::string sentence) {
  say(find(quantity), std::move(sentence));
  const auto found = std::ranges::find(explanation.numbers, quantity, &ExplainedNumber::quantity);
  std::rotate(explanation.numbers.begin() + 1, found, found + 1);
}

}  // namespace tailwave
