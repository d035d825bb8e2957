#include "report/neighbours.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/random.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostPairs = 12, kFewestPairs = 3;
constexpr std::size_t kMostJudged = 300;  // points from which changes are judged
constexpr double kFastest = 0.2;          // share of the points that are among the fastest
constexpr std::size_t kFewestFastest = 5;
constexpr double kRight = 0.94;
constexpr std::size_t kFewestRight = 10;
constexpr double kClockNoise = 0.003;  // of a logarithm: medians are not better known than that

// All values but the parameter's: points that agree in them lie on one line.
std::vector<std::uint32_t> without(const std::vector<std::uint32_t>& values, std::size_t parameter) {
  std::vector<std::uint32_t> others = values;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(parameter));
  return others;
}

std::size_t agreeing(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), std::size_t{0}, std::plus<>(),
                            [](std::uint32_t a, std::uint32_t b) { return static_cast<std::size_t>(a == b); });
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

// The measured points by lines, and the pairs on them by change.
class NeighbourModel::Index {
 public:
  explicit Index(const MeasuredPoints& all) : lines_(all.parameters), values_(all.parameters) {
    for (std::size_t i = 0; i < all.points.size(); ++i) {
      for (std::size_t parameter = 0; parameter < all.parameters; ++parameter) {
        const std::vector<std::uint32_t>& values = all.points[i].values;
        lines_[parameter][without(values, parameter)].emplace(values[parameter], i);
        values_[parameter].insert(values[parameter]);
      }
    }
    for (std::size_t parameter = 0; parameter < all.parameters; ++parameter)
      for (const auto& [others, line] : lines_[parameter])
        if (line.size() > 1) pair_up(all, parameter, others, line);
  }

  struct Pair {
    const std::vector<std::uint32_t>* others = nullptr;
    double log_gain = 0;
  };
  using Change = std::tuple<std::size_t, std::uint32_t, std::uint32_t>;  // parameter, from, to

  [[nodiscard]] const std::vector<Pair>& pairs(const Change& change) const {
    static const std::vector<Pair> none;
    const auto found = pairs_.find(change);
    return found == pairs_.end() ? none : found->second;
  }

  // Of the parameter's values to the points that differ in it alone.
  [[nodiscard]] const std::map<std::uint32_t, std::size_t>& line(
      std::size_t parameter, const std::vector<std::uint32_t>& values) const {
    return lines_[parameter].at(without(values, parameter));
  }
  [[nodiscard]] const std::set<std::uint32_t>& values(std::size_t parameter) const { return values_[parameter]; }

 private:
  void pair_up(const MeasuredPoints& all, std::size_t parameter, const std::vector<std::uint32_t>& others,
               const std::map<std::uint32_t, std::size_t>& line) {
    for (const auto& [from, start] : line)
      for (const auto& [to, end] : line)
        if (from != to)
          pairs_[{parameter, from, to}].push_back(
              {&others, all.points[end].log_speed - all.points[start].log_speed});
  }

  std::vector<std::map<std::vector<std::uint32_t>, std::map<std::uint32_t, std::size_t>>> lines_;
  std::vector<std::set<std::uint32_t>> values_;
  std::map<Change, std::vector<Pair>> pairs_;
};

NeighbourModel::NeighbourModel(MeasuredPoints points)
    : points_(std::move(points)), index_(std::make_unique<Index>(points_)) {
  judge();
}

NeighbourModel::~NeighbourModel() = default;

std::optional<NeighbourPrediction> NeighbourModel::predict(const NeighbourChange& change) const {
  const std::vector<std::uint32_t>& values = points_.points[change.point].values;
  const std::vector<std::uint32_t> own = without(values, change.parameter);
  std::vector<Agreement> pairs;
  for (const Index::Pair& pair :
       index_->pairs({change.parameter, values[change.parameter], change.value}))
    if (*pair.others != own) pairs.push_back({agreeing(*pair.others, own), pair.log_gain});
  if (pairs.size() < kFewestPairs) return std::nullopt;
  return predict_from(std::move(pairs));
}

bool NeighbourModel::trusted(const NeighbourPrediction& prediction) const {
  return least_margin_ && prediction.log_gain >= std::log(kLeastGain) && prediction.margin >= *least_margin_;
}

std::vector<NeighbourChange> NeighbourModel::changes_of(std::size_t point) const {
  std::vector<NeighbourChange> changes;
  for (std::size_t parameter = 0; parameter < points_.parameters; ++parameter)
    for (const std::uint32_t value : index_->values(parameter))
      if (value != points_.points[point].values[parameter]) changes.push_back({point, parameter, value});
  return changes;
}

std::optional<std::size_t> NeighbourModel::measured_end(const NeighbourChange& change) const {
  const auto& line = index_->line(change.parameter, points_.points[change.point].values);
  const auto end = line.find(change.value);
  return end == line.end() ? std::nullopt : std::optional(end->second);
}

void NeighbourModel::judge() {
  std::vector<std::size_t> fastest(points_.points.size());
  std::iota(fastest.begin(), fastest.end(), 0);
  std::stable_sort(fastest.begin(), fastest.end(), [&](std::size_t a, std::size_t b) {
    return points_.points[a].log_speed > points_.points[b].log_speed;
  });
  const auto share = static_cast<std::size_t>(kFastest * static_cast<double>(fastest.size()));
  fastest.resize(std::min(fastest.size(), std::max(kFewestFastest, share)));
  Generator random(1);
  if (fastest.size() > kMostJudged) shuffle(fastest, random);
  fastest.resize(std::min(fastest.size(), kMostJudged));
  for (const std::size_t point : fastest) {
    for (const NeighbourChange& change : changes_of(point)) {
      const auto end = measured_end(change);
      const auto prediction = end ? predict(change) : std::nullopt;
      if (prediction)
        judged_.push_back({change, *prediction,
                           points_.points[*end].log_speed - points_.points[point].log_speed});
    }
  }
  std::vector<const Judged*> gains;
  for (const Judged& one : judged_)
    if (one.prediction.log_gain >= std::log(kLeastGain)) gains.push_back(&one);
  std::stable_sort(gains.begin(), gains.end(), [](const Judged* a, const Judged* b) {
    return a->prediction.margin > b->prediction.margin;
  });
  std::size_t right = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    right += gains[i]->log_gain > 0 ? 1 : 0;
    // Laplace's rule of succession: how likely the next one is to be right.
    const double next = static_cast<double>(right + 1) / static_cast<double>(i + 3);
    if (right >= kFewestRight && next >= kRight) least_margin_ = gains[i]->prediction.margin;
  }
}

}  // namespace tailwave
