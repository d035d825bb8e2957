#include "report/neighbours.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/random.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostPairs = 12, kFewestPairs = 3;
constexpr std::size_t kFewestFastest = 5;
constexpr double kClockNoise = 0.003;  // of a logarithm: medians are not better known than that

using Row = std::vector<std::uint32_t>;

// All values but the parameter's: points that agree in them lie on one line.
Row without(const Row& values, std::size_t parameter) {
  Row others = values;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(parameter));
  return others;
}

std::size_t agreeing(const Row& one, const Row& other) {
  return std::inner_product(
      one.begin(), one.end(), other.begin(), std::size_t{0}, std::plus<>(),
      [](std::uint32_t a, std::uint32_t b) { return static_cast<std::size_t>(a == b); });
}

// Where so many points should have three values, were these independent, and none does, they do not go together.
constexpr double kManyExpected = 4;

std::vector<std::uint64_t> both(const std::vector<std::uint64_t>& one,
                                const std::vector<std::uint64_t>& other) {
  std::vector<std::uint64_t> bits(one.size());
  std::transform(one.begin(), one.end(), other.begin(), bits.begin(), std::bit_and<>());
  return bits;
}

double count(const std::vector<std::uint64_t>& bits) {
  return std::accumulate(bits.begin(), bits.end(), 0.0,
                         [](double sum, std::uint64_t word) { return sum + std::popcount(word); });
}

struct Agreement {
  std::size_t others = 0;
  double log_gain = 0;
};

NeighbourPrediction predict_from(std::vector<Agreement> pairs) {
  const std::size_t used = std::min(pairs.size(), kMostPairs);
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(used), pairs.end(),
                    [](const Agreement& a, const Agreement& b) {
                      return std::tuple(b.others, a.log_gain) < std::tuple(a.others, b.log_gain);
                    });
  pairs.resize(used);
  const auto count = static_cast<double>(used);
  NeighbourPrediction prediction{.pairs = used};
  for (const Agreement& pair : pairs) {
    prediction.log_gain += pair.log_gain / count;
    prediction.faster += pair.log_gain > 0 ? 1 : 0;
  }
  double squares = 0;
  for (const Agreement& pair : pairs)
    squares += (pair.log_gain - prediction.log_gain) * (pair.log_gain - prediction.log_gain);
  const double spread = std::sqrt(squares / (count - 1)) + kClockNoise;
  prediction.margin = prediction.log_gain / (spread * std::sqrt(1 + 1 / count));
  return prediction;
}

}  // namespace

std::size_t fastest_fifth(std::size_t points) {
  return std::min(points, std::max(kFewestFastest, points / 5));
}

// The measured points by lines, the pairs on them by change, and which values were measured together.
class NeighbourModel::Index {
 public:
  explicit Index(const MeasuredPoints& all)
      : lines_(all.parameters), values_(all.parameters), holders_(all.parameters) {
    for (std::size_t i = 0; i < all.points.size(); ++i) {
      const Row& values = all.points[i].values;
      for (std::size_t parameter = 0; parameter < all.parameters; ++parameter) {
        lines_[parameter][without(values, parameter)].emplace(values[parameter], i);
        values_[parameter].insert(values[parameter]);
        std::vector<Bits>& holders = holders_[parameter];
        holders.resize(std::max<std::size_t>(holders.size(), values[parameter] + 1),
                       Bits(all.points.size() / 64 + 1));
        holders[values[parameter]][i / 64] |= std::uint64_t{1} << (i % 64);
      }
    }
    for (std::size_t parameter = 0; parameter < all.parameters; ++parameter)
      for (const auto& [others, line] : lines_[parameter])
        if (line.size() > 1) pair_up(all, parameter, line);
  }

  struct Pair {
    std::size_t start = 0;  // its point
    double log_gain = 0;
  };
  using Line = std::map<std::uint32_t, std::size_t>;                     // values of the parameter to points
  using Change = std::tuple<std::size_t, std::uint32_t, std::uint32_t>;  // parameter, from, to

  [[nodiscard]] const std::vector<Pair>& pairs(const Change& change) const {
    static const std::vector<Pair> none;
    const auto found = pairs_.find(change);
    return found == pairs_.end() ? none : found->second;
  }

  // The points that differ from this one in the parameter alone, itself among them.
  [[nodiscard]] const Line& line(std::size_t parameter, const Row& values) const {
    return lines_[parameter].at(without(values, parameter));
  }
  [[nodiscard]] const std::set<std::uint32_t>& values(std::size_t parameter) const {
    return values_[parameter];
  }

  // A bit for each point: whether it has the value.
  using Bits = std::vector<std::uint64_t>;
  [[nodiscard]] const Bits& holders(std::size_t parameter, std::uint32_t value) const {
    return holders_[parameter].at(value);
  }

 private:
  void pair_up(const MeasuredPoints& all, std::size_t parameter, const Line& line) {
    for (const auto& [from, start] : line)
      for (const auto& [to, end] : line)
        if (from != to)
          pairs_[{parameter, from, to}].push_back(
              {start, all.points[end].log_speed - all.points[start].log_speed});
  }

  std::vector<std::map<Row, Line>> lines_;
  std::vector<std::set<std::uint32_t>> values_;
  std::map<Change, std::vector<Pair>> pairs_;
  std::vector<std::vector<Bits>> holders_;
};

NeighbourModel::NeighbourModel(MeasuredPoints points)
    : points_(std::move(points)), index_(std::make_unique<Index>(points_)), trust_(judge()) {}

NeighbourModel::~NeighbourModel() = default;

std::optional<NeighbourPrediction> NeighbourModel::predict(const NeighbourChange& change) const {
  const Row& own = points_.points[change.point].values;
  std::vector<Agreement> pairs;
  for (const Index::Pair& pair : index_->pairs({change.parameter, own[change.parameter], change.value}))
    if (pair.start != change.point)
      pairs.push_back({agreeing(points_.points[pair.start].values, own), pair.log_gain});
  if (pairs.size() < kFewestPairs) return std::nullopt;
  return predict_from(std::move(pairs));
}

std::vector<NeighbourChange> NeighbourModel::changes_of(std::size_t point) const {
  std::vector<NeighbourChange> changes;
  for (std::size_t parameter = 0; parameter < points_.parameters; ++parameter)
    for (const std::uint32_t value : index_->values(parameter))
      if (value != points_.points[point].values[parameter]) changes.push_back({point, parameter, value});
  return changes;
}

bool NeighbourModel::seen_together(const NeighbourChange& change) const {
  const Row& own = points_.points[change.point].values;
  const Index::Bits& changed = index_->holders(change.parameter, change.value);
  const double all = count(changed);
  std::vector<Index::Bits> pairs;  // points with the new value and that of one other parameter
  for (std::size_t other = 0; other < points_.parameters; ++other) {
    if (other == change.parameter) continue;
    pairs.push_back(both(changed, index_->holders(other, own[other])));
    if (count(pairs.back()) == 0) return false;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (count(pairs[i]) * count(pairs[k]) / all >= kManyExpected && count(both(pairs[i], pairs[k])) == 0)
        return false;
  return true;
}

std::optional<std::size_t> NeighbourModel::measured_end(const NeighbourChange& change) const {
  const Index::Line& line = index_->line(change.parameter, points_.points[change.point].values);
  const auto end = line.find(change.value);
  return end == line.end() ? std::nullopt : std::optional(end->second);
}

std::vector<std::size_t> NeighbourModel::fastest(std::size_t most) const {
  std::vector<std::size_t> fastest(points_.points.size());
  std::iota(fastest.begin(), fastest.end(), 0);
  const auto faster = [&](std::size_t a, std::size_t b) {
    return points_.points[a].log_speed > points_.points[b].log_speed;
  };
  std::stable_sort(fastest.begin(), fastest.end(), faster);
  fastest.resize(fastest_fifth(fastest.size()));
  if (fastest.size() <= most) return fastest;
  std::vector<std::size_t> others(fastest.begin() + 1, fastest.end());
  Generator random(1);
  shuffle(others, random);
  std::copy_n(others.begin(), most - 1, fastest.begin() + 1);
  fastest.resize(most);
  std::stable_sort(fastest.begin(), fastest.end(), faster);
  return fastest;
}

std::vector<JudgedChange> NeighbourModel::judge() const {
  std::vector<JudgedChange> judged;
  for (const std::size_t point : fastest(kMostJudged)) {
    for (const NeighbourChange& change : changes_of(point)) {
      const auto end = measured_end(change);
      const auto prediction = end ? predict(change) : std::nullopt;
      if (prediction)
        judged.push_back({point, prediction->log_gain, prediction->margin,
                          points_.points[*end].log_speed - points_.points[point].log_speed});
    }
  }
  return judged;
}

}  // namespace tailwave
