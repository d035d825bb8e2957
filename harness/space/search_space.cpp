#include "space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "space/assignment.h"
#include "space/joined_spaces.h"

namespace tailwave {
namespace {

constexpr Point kNoPoint = std::numeric_limits<Point>::max();
constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kBlock = 1024;
// Draws in a row that bring nothing new before it is taken that there is nothing.
constexpr int kMostRepeated = 10'000;

std::uint64_t hash_of(std::span<const std::uint16_t> row) {
  std::uint64_t hash = 0;
  for (const std::uint16_t digit : row) hash = (hash + digit + 1) * kGoldenGamma;
  return split_mix(hash);
}

}  // namespace

SearchSpace::SearchSpace(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)), slots_(kFirstSlots, kNoPoint) {
  for (const Parameter& parameter : parameters_) {
    const std::size_t count = parameter.values.size();
    if (count == 0 || count > kMostValues)
      throw std::invalid_argument(fmt::format("parameter '{}' has {} values", parameter.name, count));
    const bool ordered = std::all_of(parameter.values.begin(), parameter.values.end(), is_number);
    std::vector<std::uint16_t>& by_rank = by_rank_.emplace_back(count);
    std::iota(by_rank.begin(), by_rank.end(), std::uint16_t{0});
    if (ordered) {
      std::stable_sort(by_rank.begin(), by_rank.end(), [&](std::uint16_t one, std::uint16_t other) {
        return to_double(parameter.values[one]) < to_double(parameter.values[other]);
      });
    }
    std::vector<std::uint16_t>& ranks = ranks_.emplace_back(count);
    for (std::size_t rank = 0; rank < count; ++rank) ranks[by_rank[rank]] = static_cast<std::uint16_t>(rank);
    ordered_.push_back(ordered);
  }
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters, std::shared_ptr<PointSource> source)
    : SearchSpace(std::move(parameters)) {
  source_ = std::move(source);
}

SearchSpace SearchSpace::of(const ParameterSpace& space, std::size_t most_listed) {
  SearchSpace all(space.parameters());
  std::size_t asked = 0;
  const bool has_all = !has_more_than(space, static_cast<double>(most_listed)) &&
                       space.for_each(
                           [&](const std::vector<std::uint32_t>& digits) {
                             if (all.size() == most_listed) return false;
                             all.add(digits);
                             return true;
                           },
                           [&] { return ++asked > kMostTried / Assignment::kGivenBetween; });
  if (has_all) return all;
  std::vector<SpacePart> parts;
  parts.push_back(SpacePart::of(space));
  return {space.parameters(), std::make_shared<JoinedSpaces>(std::move(parts))};
}

std::span<const std::uint16_t> SearchSpace::digits(Point point) const {
  const std::size_t width = parameters_.size();
  return std::span(blocks_[point / kBlock]).subspan(point % kBlock * width, width);
}

Values SearchSpace::values(Point point) const {
  Values values;
  const auto row = digits(point);
  for (std::size_t i = 0; i < row.size(); ++i)
    values.emplace(parameters_[i].name, parameters_[i].values[row[i]]);
  return values;
}

Point SearchSpace::add(std::span<const std::uint32_t> digits) {
  const std::vector<std::uint16_t> row(digits.begin(), digits.end());
  return number(row);
}

Point SearchSpace::number(std::span<const std::uint16_t> row) const {
  Point& slot = slots_[slot_of(row)];
  if (slot != kNoPoint) return slot;
  if (size_ % kBlock == 0) blocks_.emplace_back().reserve(kBlock * row.size());
  blocks_.back().insert(blocks_.back().end(), row.begin(), row.end());
  const auto point = static_cast<Point>(size_++);
  slot = point;
  if (2 * size_ > slots_.size()) grow();
  return point;
}

// Where the row is, or the free slot where it belongs.
std::size_t SearchSpace::slot_of(std::span<const std::uint16_t> row) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(row) & mask;
  while (slots_[slot] != kNoPoint && !std::ranges::equal(digits(slots_[slot]), row)) slot = (slot + 1) & mask;
  return slot;
}

void SearchSpace::grow() const {
  slots_.assign(2 * slots_.size(), kNoPoint);
  const std::size_t mask = slots_.size() - 1;
  for (Point point = 0; point < size_; ++point) {
    std::size_t slot = hash_of(digits(point)) & mask;
    while (slots_[slot] != kNoPoint) slot = (slot + 1) & mask;
    slots_[slot] = point;
  }
}

bool SearchSpace::has(std::span<const std::uint16_t> row) const {
  return slots_[slot_of(row)] != kNoPoint || (!is_listed() && source_->has(row));
}

std::optional<Point> SearchSpace::find(std::span<const std::uint16_t> row) const {
  const Point point = slots_[slot_of(row)];
  if (point != kNoPoint) return point;
  if (is_listed() || !source_->has(row)) return std::nullopt;
  return number(row);
}

Point SearchSpace::any(Generator& random) const {
  if (is_listed() && size_ > 0) return random.below(static_cast<std::uint32_t>(size_));
  PointSource::Row row;
  if (is_listed() || !source_->draw(random, row))
    throw Error("found no configuration that satisfies all constraints");
  return number(row);
}

std::vector<Point> SearchSpace::sample(std::size_t count, Generator& random) const {
  std::unordered_set<Point> drawn;
  std::vector<Point> points;
  if (!is_listed()) {
    for (int vain = 0; points.size() < count && vain < kMostRepeated; ++vain) {
      const Point point = any(random);
      if (!drawn.insert(point).second) continue;
      points.push_back(point);
      vain = 0;
    }
    return points;
  }
  count = std::min(count, size_);
  // Floyd's way: of 0..last, `last` stands in for what is drawn already.
  for (std::size_t last = size_ - count; last < size_; ++last) {
    auto point = static_cast<Point>(random.below(static_cast<std::uint32_t>(last + 1)));
    if (!drawn.insert(point).second) drawn.insert(point = static_cast<Point>(last));
    points.push_back(point);
  }
  return points;
}

std::function<std::optional<Point>()> SearchSpace::in_order() const {
  if (is_listed()) {
    return [this, next = Point{0}]() mutable -> std::optional<Point> {
      if (next == size_) return std::nullopt;
      return next++;
    };
  }
  return [this, next = source_->in_order(), row = PointSource::Row()]() mutable -> std::optional<Point> {
    if (!next(row)) return std::nullopt;
    return number(row);
  };
}

void SearchSpace::neighbours(std::span<const std::uint16_t> own, Neighbourhood neighbourhood,
                             std::vector<Point>& found) const {
  found.clear();
  std::vector<std::uint16_t> row(own.begin(), own.end());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t own_rank = rank(i, own[i]);
    std::size_t first = 0, end = by_rank_[i].size();
    if (neighbourhood == Neighbourhood::adjacent && ordered_[i]) {
      first = own_rank == 0 ? 0 : own_rank - 1;
      end = std::min(end, own_rank + 2);
    }
    for (std::size_t other = first; other < end; ++other) {
      if (other == own_rank) continue;
      row[i] = by_rank_[i][other];
      if (const auto neighbour = find(row)) found.push_back(*neighbour);
    }
    row[i] = own[i];
  }
}

}  // namespace tailwave
