#include "search/point_by_point.h"

#include <algorithm>
#include <cmath>

namespace tailwave::search {
namespace {

// Proposals in a row that may bring nothing to ask.
constexpr int kMostProposals = 1000;

}  // namespace

void PointByPoint::ask(std::size_t most, std::vector<Point>& points) {
  const std::size_t enough = points.size() + most;
  for (int fruitless = 0; fruitless < kMostProposals && points.size() < enough; ++fruitless) {
    const std::optional<Point> point = propose();
    if (!point) return;
    const auto [known, is_new] = costs_.try_emplace(*point);
    if (is_new) {
      points.push_back(*point);
      ++waiting_;
      fruitless = 0;
    } else if (known->second) {
      judge(*point, *known->second);
    }
  }
}

void PointByPoint::tell(Point point, double cost) {
  const auto [known, is_new] = costs_.try_emplace(point);
  if (!is_new && !known->second) --waiting_;
  if (!known->second) learn(point, cost);
  known->second = cost;
  judge(point, cost);
}

std::optional<double> PointByPoint::known_cost(Point point) const {
  const auto known = costs_.find(point);
  return known == costs_.end() ? std::nullopt : known->second;
}

Point PointByPoint::any_point() {
  if (++drawn_ > kFirstPoints) return space_.any(random_);
  return *spread_.next([this] { return std::optional(space_.any(random_)); });
}

std::optional<Point> PointByPoint::first_point() {
  if (first_proposed_ == kFirstPoints) return std::nullopt;
  ++first_proposed_;
  return any_point();
}

bool PointByPoint::judges_first_point() {
  if (first_points_are_judged()) return false;
  ++first_judged_;
  return true;
}

Point PointByPoint::any_neighbour(Point point, Neighbourhood neighbourhood) {
  space_.neighbours(point, neighbourhood, neighbours_);
  if (neighbours_.empty()) return point;
  return neighbours_[random_.below(static_cast<std::uint32_t>(neighbours_.size()))];
}

Point PointByPoint::repaired(std::span<const std::uint16_t> digits) {
  if (const auto point = space_.find(digits)) return *point;
  space_.neighbours(digits, Neighbourhood::hamming, neighbours_);
  if (neighbours_.empty()) return any_point();
  return neighbours_[random_.below(static_cast<std::uint32_t>(neighbours_.size()))];
}

Point PointByPoint::mutated(Point point, std::size_t count) {
  const auto own = space_.digits(point);
  std::vector<std::uint16_t> digits(own.begin(), own.end());
  std::vector<std::uint32_t> varied;
  for (std::uint32_t i = 0; i < digits.size(); ++i)
    if (space_.parameters()[i].values.size() > 1) varied.push_back(i);
  for (std::size_t chosen = 0; chosen < std::min(count, varied.size()); ++chosen) {
    const auto left = static_cast<std::uint32_t>(varied.size() - chosen);
    std::swap(varied[chosen], varied[chosen + random_.below(left)]);
    std::uint16_t& digit = digits[varied[chosen]];
    const auto others = static_cast<std::uint32_t>(space_.parameters()[varied[chosen]].values.size() - 1);
    const std::uint32_t drawn = random_.below(others);
    digit = static_cast<std::uint16_t>(drawn < digit ? drawn : drawn + 1);
  }
  return repaired(digits);
}

double relative_excess(double cost, double reference) {
  if (cost == reference) return 0;
  return (cost - reference) / std::min(cost, reference);
}

}  // namespace tailwave::search
