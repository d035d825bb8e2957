#include "search/features.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tailwave::search {
namespace {

constexpr float kNotKnown = -1;

bool is_extent_of_block(const std::string& name) {
  std::string lower;
  for (const char letter : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower.starts_with("block_size") || lower.starts_with("block_dim") || lower.starts_with("threads");
}

}  // namespace

Features::Features(const SearchProblem& problem, const PriorTrust* trust)
    : space_(problem.space),
      knowledge_(problem.knowledge),
      prior_(trust != nullptr && trust->has_prior() ? trust : nullptr) {
  for (std::size_t i = 0; i < space_->parameters().size(); ++i) {
    const Parameter& parameter = space_->parameters()[i];
    if (parameter.values.size() < 2) continue;
    const bool ordered = space_->is_ordered(i);
    const bool positive = ordered && std::ranges::all_of(parameter.values, [](const Value& value) {
                            return to_double(value) > 0;
                          });
    std::vector<float>& values = by_digit_.emplace_back();
    for (std::size_t digit = 0; digit < parameter.values.size(); ++digit)
      values.push_back(positive ? static_cast<float>(std::log2(to_double(parameter.values[digit])))
                                : static_cast<float>(space_->rank(i, static_cast<std::uint16_t>(digit))));
    if (positive && is_extent_of_block(parameter.name)) block_.push_back(parameters_.size());
    parameters_.push_back(i);
    columns_.push_back(positive ? Column::logarithmic : ordered ? Column::ordered : Column::unordered);
  }
  if (!block_.empty()) columns_.insert(columns_.end(), {Column::logarithmic, Column::ordered});
  if (knowledge_ != nullptr) {
    known_ = knowledge_->names.size();
    predicted_ = knowledge_->predicts;
  }
  columns_.insert(columns_.end(), known_ + (predicted_ ? 1 : 0), Column::ordered);
  if (prior_ != nullptr) columns_.push_back(Column::ordered);
  if (columns_.empty()) columns_.push_back(Column::ordered);
}

void Features::fill(Point point, float* row) const {
  const auto digits = space_->digits(point);
  row[0] = 0;
  float* next = row;
  for (std::size_t i = 0; i < parameters_.size(); ++i) *next++ = by_digit_[i][digits[parameters_[i]]];
  if (!block_.empty()) {
    float threads = 0;
    for (const std::size_t place : block_) threads += row[place];
    *next++ = threads;
    const float warps = std::exp2(threads) / 32;
    *next++ = warps / std::ceil(warps - 1e-3F);
  }
  const auto known = [](float value) { return std::isfinite(value) ? value : kNotKnown; };
  if (known_ != 0 || predicted_) {
    const PointFacts& facts = knowledge_->facts(point);
    for (std::size_t i = 0; i < known_; ++i) *next++ = known(facts.features[i]);
    if (predicted_) *next++ = known(std::log2(facts.predicted_cost));
  }
  if (prior_ != nullptr) *next++ = prior_->rank(point);
}

}  // namespace tailwave::search
