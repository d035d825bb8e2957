#include "space/joined_spaces.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "space/assignment.h"

namespace tailwave {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Draws in a row that bring nothing before configurations are searched for; and those made where that finds none.
constexpr int kMostVainDraws = 2000, kLastDraws = 300'000;

}  // namespace

SpacePart SpacePart::of(ParameterSpace space) {
  SpacePart part{std::move(space), {}, {}, {}};
  for (const Parameter& parameter : part.space.parameters()) {
    part.columns.push_back(part.columns.size());
    part.digits.emplace_back(parameter.values.size());
    std::iota(part.digits.back().begin(), part.digits.back().end(), std::uint16_t{0});
  }
  part.row.resize(part.columns.size());
  return part;
}

std::span<const std::uint16_t> SpacePart::row_of(const std::vector<std::uint32_t>& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) row[columns[i]] = digits[i][indices[i]];
  return row;
}

JoinedSpaces::Part::Part(SpacePart own)
    : part(std::move(own)), inverse(part.row.size()), space(part.space), indices(part.columns.size()) {
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    std::vector<std::uint32_t>& column = inverse[part.columns[i]];
    for (std::uint32_t index = 0; index < part.digits[i].size(); ++index) {
      const std::uint16_t digit = part.digits[i][index];
      if (column.size() <= digit) column.resize(digit + std::size_t{1}, kNone);
      column[digit] = index;
    }
  }
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    if (!inverse[i].empty()) continue;
    inverse[i].resize(part.row[i] + std::size_t{1}, kNone);
    inverse[i].back() = 0;
  }
}

bool JoinedSpaces::Part::read(std::span<const std::uint16_t> row,
                              std::vector<std::uint32_t>& read_indices) const {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] >= inverse[i].size() || inverse[i][row[i]] == kNone) return false;
  read_indices.resize(part.columns.size());
  for (std::size_t i = 0; i < read_indices.size(); ++i)
    read_indices[i] = inverse[part.columns[i]][row[part.columns[i]]];
  return true;
}

JoinedSpaces::JoinedSpaces(std::vector<SpacePart> parts) {
  for (SpacePart& part : parts) {
    parts_.push_back(std::make_unique<Part>(std::move(part)));
    size_ += parts_.back()->space.tree_size();
  }
}

bool JoinedSpaces::is_in(std::span<const std::uint16_t> row, std::size_t parts) {
  return std::any_of(
      parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(parts),
      [&](const auto& part) { return part->read(row, part->indices) && part->space.has(part->indices); });
}

// Whether each two parts differ in a column whatever their values.
bool JoinedSpaces::are_apart() const {
  const auto differ = [](const Part& one, const Part& other) {
    for (std::size_t column = 0; column < one.inverse.size(); ++column) {
      const auto &ours = one.inverse[column], &theirs = other.inverse[column];
      bool meet = false;
      for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()) && !meet; ++i)
        meet = ours[i] != kNone && theirs[i] != kNone;
      if (!meet) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!differ(*parts_[i], *parts_[k])) return false;
  return true;
}

Count JoinedSpaces::count() const {
  Count sum, largest;
  for (const auto& part : parts_) {
    const Count own = part->space.count();
    sum = sum + own;
    if (own.number > largest.number) largest = own;
  }
  return are_apart() ? sum : Count{largest.number, false};
}

// In proportion to the parts' trees; of what several have, the first.
bool JoinedSpaces::draw_once(Generator& random, Row& row) {
  double left = parts_.size() > 1 ? random.uniform() * size_ : 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double own = parts_[i]->space.tree_size();
    if (own == 0) continue;
    chosen = i;
    if (left < own) break;
    left -= own;
  }
  Part& part = *parts_[chosen];
  if (!part.space.draw(random, part.indices)) return false;
  const auto drawn = part.part.row_of(part.indices);
  row.assign(drawn.begin(), drawn.end());
  return !is_in(row, chosen);
}

bool JoinedSpaces::search(Generator& random, Row& row) {
  const std::size_t first = random.below(static_cast<std::uint32_t>(parts_.size()));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = *parts_[(first + i) % parts_.size()];
    if (part.space.tree_size() == 0 || !part.space.search(random, part.indices)) continue;
    const auto found = part.part.row_of(part.indices);
    row.assign(found.begin(), found.end());
    return true;
  }
  return false;
}

bool JoinedSpaces::draw(Generator& random, Row& row) {
  if (size_ == 0) return false;
  const auto draws_one = [&](int draws) {
    for (int i = 0; i < draws; ++i)
      if (draw_once(random, row)) return true;
    return false;
  };
  if (!is_sparse_ && draws_one(kMostVainDraws)) return true;
  is_sparse_ = true;
  if (!finds_nothing_ && search(random, row)) return true;
  finds_nothing_ = true;
  return draws_one(kLastDraws);
}

std::function<bool(PointSource::Row&)> JoinedSpaces::in_order() {
  return [this, number = std::size_t{0}, walk = std::shared_ptr<Assignment>()](Row& row) mutable {
    for (; number < parts_.size(); ++number, walk = nullptr) {
      Part& part = *parts_[number];
      if (!walk) walk = std::make_shared<Assignment>(part.space.space());
      while (walk->advance()) {
        const auto next = part.part.row_of(walk->indices());
        row.assign(next.begin(), next.end());
        if (!is_in(row, number)) return true;
      }
    }
    return false;
  };
}

}  // namespace tailwave
