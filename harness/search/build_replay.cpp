#include "search/build_replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <list>
#include <numbers>
#include <set>
#include <utility>

#include "core/random.h"

namespace tailwave {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Box and Muller.
double standard_normal(Generator& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Other numbers than a strategy draws with the same seed.
constexpr std::uint64_t seed_of_builds(std::uint64_t seed) {
  return split_mix(seed ^ 0x6275696C64U);
}

// The clock, the processes and the device of one search.
class Replay {
 public:
  Replay(const RecordedSpace& recorded, Search& search, std::size_t evaluations, const BuildReplay& builds)
      : recorded_(recorded), search_(search), evaluations_(evaluations), builds_(builds) {}

  std::vector<TimedEvaluation> run(const std::function<bool()>& stop_requested) {
    ask_ahead();
    while (!queue_.empty() && !stop_requested()) {
      if (const auto next = ready(); next != queue_.end())
        measure(next);
      else
        advance_to(next_end());
    }
    return std::move(told_);
  }

 private:
  struct Asked {
    std::size_t number = 0;
    TimedEvaluation evaluation;
  };
  using Place = std::list<Asked>::iterator;

  void ask_ahead() {
    const std::size_t ahead = points_ahead(told_.size());
    while (queue_.size() < ahead && asked_ < evaluations_) {
      const std::vector<Point> points = search_.next(std::min(ahead - queue_.size(), evaluations_ - asked_));
      if (points.empty()) break;
      for (const Point point : points) {
        queue_.push_back({asked_++, {.point = point, .asked_s = now_s_, .built_s = kNever}});
        waiting_.push_back(std::prev(queue_.end()));
      }
    }
    begin_builds();
  }

  void begin_builds() {
    while (!waiting_.empty() && building_.size() < builds_.processes) {
      const Place place = waiting_.front();
      waiting_.pop_front();
      place->evaluation.build_begun_s = now_s_;
      building_.insert({now_s_ + builds_.build_s(place->evaluation.point), place->number, place});
    }
  }

  [[nodiscard]] double next_end() const { return building_.begin()->ends_s; }

  // What is built until then is; a process that has nothing to do takes the next one.
  void advance_to(double seconds) {
    while (!building_.empty() && next_end() <= seconds) {
      const auto [ends_s, number, place] = *building_.begin();
      building_.erase(building_.begin());
      now_s_ = place->evaluation.built_s = ends_s;
      built_.push_back(place);
      begin_builds();
    }
    now_s_ = seconds;
  }

  Place ready() {
    if (built_.empty()) return queue_.end();
    if (builds_.order == TellingOrder::built) return built_.front();
    return queue_.front().evaluation.built_s <= now_s_ ? queue_.begin() : queue_.end();
  }

  void measure(Place place) {
    std::erase(built_, place);
    advance_to(now_s_ + builds_.measure_s(place->evaluation.point));
    TimedEvaluation& evaluation = told_.emplace_back(place->evaluation);
    evaluation.told_s = now_s_;
    queue_.erase(place);
    search_.report(evaluation.point, recorded_.costs[evaluation.point]);
    ask_ahead();
  }

  struct Build {
    double ends_s = 0;
    std::size_t number = 0;
    Place place;

    bool operator<(const Build& other) const {
      return std::pair(ends_s, number) < std::pair(other.ends_s, other.number);
    }
  };

  const RecordedSpace& recorded_;
  Search& search_;
  std::size_t evaluations_;
  const BuildReplay& builds_;
  double now_s_ = 0;
  std::size_t asked_ = 0;
  std::list<Asked> queue_;     // in the order of asking, until their costs are told
  std::deque<Place> waiting_;  // for a process
  std::set<Build> building_;   // the next to end first
  std::deque<Place> built_;    // in this order, not measured
  std::vector<TimedEvaluation> told_;
};

}  // namespace

BuildTimes::BuildTimes(const SearchSpace& space, std::uint64_t seed)
    : space_(&space), seed_(seed_of_builds(seed)) {
  Generator random(seed_);
  for (const Parameter& parameter : space.parameters()) {
    std::vector<double>& of_values = of_values_.emplace_back();
    for (std::size_t i = 0; i < parameter.values.size(); ++i) of_values.push_back(standard_normal(random));
  }
}

double BuildTimes::seconds(Point point) const {
  Generator random(split_mix(seed_ + (point + 1) * kGoldenGamma));
  const double own = standard_normal(random);
  const auto digits = space_->digits(point);
  double of_values = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) of_values += of_values_[i][digits[i]];
  const double normal =
      (own + of_values / std::sqrt(static_cast<double>(std::max<std::size_t>(digits.size(), 1)))) /
      std::numbers::sqrt2;
  constexpr double kQuantile = 1.6448536269514722;  // 95 % of a standard normal distribution is below
  static const double deviation = std::log(kSpread) / (2 * kQuantile);
  return kMedianS * std::exp(deviation * normal);
}

std::vector<TimedEvaluation> replay_builds(const RecordedSpace& recorded, const StrategyKind& kind,
                                           const StrategyOptions& options, std::uint64_t seed,
                                           std::size_t evaluations, const BuildReplay& builds,
                                           const std::function<bool()>& stop_requested) {
  SearchProblem problem{&recorded.space, evaluations, seed, &recorded.knowledge, recorded.prior.get()};
  problem.stop_requested = stop_requested;
  Search search(problem, kind.make(problem, options));
  return Replay(recorded, search, evaluations, builds).run(stop_requested);
}

}  // namespace tailwave
