#include "tune/problem_search.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/stopwatch.h"
#include "search/search.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"
#include "tune/finalists.h"
#include "tune/search_cost.h"
#include "tune/trial_maker.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

// A row for a compile process, which may be older than the point's number.
std::string text_of(std::span<const std::uint16_t> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}
std::vector<std::uint16_t> row_from(const std::string& text) {
  std::vector<std::uint16_t> row(text.size() / sizeof(std::uint16_t));
  std::memcpy(row.data(), text.data(), row.size() * sizeof(std::uint16_t));
  return row;
}

// The search on one problem.
class ProblemSearch {
 public:
  ProblemSearch(Tuning& tuning, const ConfigurationSpace& space, const LaunchKnowledge& knowledge,
                SearchStart start)
      : tuning_(tuning),
        space_(space),
        maker_(tuning.searching, tuning.bench, tuning.store, tuning.options.stop_requested),
        problem_{&space.points(), expected_evaluations(start), tuning.options.seed, &knowledge.knowledge},
        search_(problem_, tuning.options.strategy->make(problem_, tuning.options.options)) {
    summary_.start = std::move(start);
  }

  SearchSummary run() {
    tuning_.progress.search_started(summary_.start);
    begin();
    try {
      evaluate_all();
    } catch (const Cancelled&) {
      summary_.stopped_by = "interrupt";
    } catch (...) {
      tuning_.store.give_up_run(summary_.run, utc_now());
      throw;
    }
    finish();
    choose_best(tuning_, space_, ranking(), identical_, summary_);
    return std::move(summary_);
  }

 private:
  struct Asked {
    Point point;
    Pending pending;
    std::optional<std::int64_t> known;  // the trial
  };

  // Of a budget in seconds nobody knows: as many as a device would make that takes half a second for each.
  static std::size_t expected_evaluations(const SearchStart& start) {
    constexpr double kSecondsEach = 0.5;
    const auto possible = static_cast<std::size_t>(start.space_size.whole()) - start.impossible;
    if (start.budget.evaluations) return std::min(*start.budget.evaluations, possible);
    const double guess = std::max(1.0, *start.budget.seconds / kSecondsEach);
    return guess < static_cast<double>(possible) ? static_cast<std::size_t>(guess) : possible;
  }

  DeviceRecord device() const { return device_record(tuning_.bench.tools.device->description()); }

  void begin() {
    const Experiment& experiment = tuning_.experiment;
    if (!tuning_.options.fresh)
      known_ = tuning_.store.finished_trials(experiment.name, device(), experiment.system.name);
    reference_key_ = maker_.reference_key();
    RunRecord record = describe_experiment(tuning_.environment, experiment, tuning_.bench.tools);
    record.seed = static_cast<std::int64_t>(tuning_.options.seed);
    summary_.run = tuning_.store.begin_run(record, device(), known_plan());
    const SearchStart& start = summary_.start;
    Values options;
    for (const auto& [name, value] : tuning_.options.options) options[name] = value;
    tuning_.store.begin_search(summary_.run,
                               {.strategy = tuning_.options.strategy->name,
                                .options = options,
                                .seed = tuning_.options.seed,
                                .budget_evaluations = start.budget.evaluations,
                                .budget_s = start.budget.seconds,
                                .space_size = static_cast<std::size_t>(start.space_size.whole()),
                                .pruned = start.impossible,
                                .configurations = tuning_.configurations});
  }

  // What the experiment has of the configurations that the database knows: a plan of all might have millions.
  std::vector<Configuration> known_plan() {
    std::vector<Configuration> plan =
        tuning_.store.known_configurations(tuning_.experiment.name, device(), tuning_.experiment.system.name);
    std::erase_if(plan, [&](const Configuration& configuration) {
      const auto has = [&](const ConfigurationSpace& space) { return space.has(configuration); };
      return std::none_of(tuning_.spaces.spaces.begin(), tuning_.spaces.spaces.end(), has) &&
             std::none_of(tuning_.of_host.spaces.begin(), tuning_.of_host.spaces.end(), has);
    });
    return plan;
  }

  void evaluate_all() {
    constexpr std::size_t kReference = 0;  // the build of a point is its number plus 1
    CompilePool pool(tuning_.options.build_processes, [&](std::size_t i, const std::string& row) {
      return i == kReference ? maker_.build_reference() : maker_.build(space_.configuration(row_from(row)));
    });
    pool.ask(kReference);
    pool.take(kReference, maker_.waiting());
    while (go_on(pool)) {
      const Asked asked = std::move(queue_.front());
      queue_.pop_front();
      const double cost = evaluate(asked, pool);
      report(asked, cost);
      if (summary_.evaluations % kGroup == 0) maker_.measure_drift(summary_.run);
    }
  }

  // Whether there is another one to evaluate; it is then in the queue.
  bool go_on(CompilePool& pool) {
    if (maker_.stopped()) {
      summary_.stopped_by = "interrupt";
      return false;
    }
    const std::optional<double>& seconds = summary_.start.budget.seconds;
    if (seconds && seconds_since(start_) >= *seconds) {
      summary_.stopped_by = "budget";
      return false;
    }
    ask_ahead(pool);
    if (!queue_.empty()) return true;
    summary_.stopped_by = search_.exhausted() ? "space" : "budget";
    return false;
  }

  // What is asked for early is asked for by a strategy that knows less.
  [[nodiscard]] std::size_t most_ahead() const {
    if (summary_.start.budget.seconds) return 2 * std::size_t{std::max(1U, tuning_.options.build_processes)};
    constexpr std::size_t kOfEvaluations = 8, kMost = 32;
    return std::clamp<std::size_t>(summary_.evaluations / kOfEvaluations, 1, kMost);
  }

  void ask_ahead(CompilePool& pool) {
    const std::optional<std::size_t>& budget = summary_.start.budget.evaluations;
    const std::size_t ahead = most_ahead();
    while (queue_.size() < ahead && (!budget || asked_ < *budget)) {
      std::size_t most = ahead - queue_.size();
      if (budget) most = std::min(most, *budget - asked_);
      const std::vector<Point> points = search_.next(most);
      if (points.empty()) return;
      asked_ += points.size();
      for (const Point point : points) ask(point, pool);
    }
  }

  void ask(Point point, CompilePool& pool) {
    Asked asked{point, {space_.configuration(point), ""}, {}};
    const Configuration& configuration = asked.pending.configuration;
    const std::string build_key = maker_.build_key(configuration);
    // Its own first: what was told once is told again, whatever was measured since.
    const Experiment* const all_settings[] = {&tuning_.searching, &tuning_.experiment, &tuning_.final};
    for (const Experiment* settings : all_settings) {
      asked.pending.key = maker_.key_of(*settings, configuration, build_key, reference_key_);
      const auto found = known_.find(asked.pending.key);
      if (found == known_.end()) continue;
      asked.known = found->second;
      break;
    }
    if (!asked.known) pool.ask(std::size_t{point} + 1, text_of(space_.points().digits(point)));
    queue_.push_back(std::move(asked));
  }

  double evaluate(const Asked& asked, CompilePool& pool) {
    if (asked.known) {
      ++summary_.reused;
      const StoredResult result = tuning_.store.result_of(*asked.known);
      const bool has_twin = costs_.contains(result.same_as);
      if (has_twin) identical_.insert(asked.point);
      const Configuration& configuration = asked.pending.configuration;
      maker_.remember(configuration, *asked.known, has_twin ? result.same_as : configuration.name());
      const double cost = stored_cost(tuning_.experiment.metric, result);
      if (cost != kFailed) maker_.race_against(configuration, *result.median_ns);
      return cost;
    }
    Candidate candidate =
        maker_.prepare(asked.pending, pool.take(std::size_t{asked.point} + 1, maker_.waiting()));
    refuse_what_cannot_run(candidate);
    try {
      maker_.take_turn(candidate, 0);
      maker_.settle();
    } catch (...) {
      maker_.forget();
      throw;
    }
    if (!maker_.store(summary_.run, candidate)) throw Cancelled();
    const Trial& trial = candidate.trial;
    ++summary_.outcomes[trial.outcome];
    tuning_.progress.finished(trial, summary_.evaluations + 1,
                              summary_.start.budget.evaluations ? problem_.budget : 0);
    if (trial.outcome == Outcome::skipped_identical) {
      identical_.insert(asked.point);
      return costs_.at(trial.same_as);
    }
    if (trial.outcome != Outcome::correct) return kFailed;
    return cost_of(tuning_.experiment.metric, median_ns(trial), trial.work);
  }

  // On a GPU the occupancy device is the device itself.
  void refuse_what_cannot_run(Candidate& candidate) {
    const Toolchain& tools = tuning_.bench.tools;
    if (!candidate.alive() || tools.device->description().kind != "cuda" || !tools.occupancy_device) return;
    const Configuration& configuration = candidate.pending->configuration;
    const VariantSpec& variant = *tuning_.experiment.system.find_variant(configuration.variant);
    if (variant.target != VariantSpec::Target::cuda) return;
    Trial& trial = candidate.trial;
    try {
      trial.launches = describe_launches(variant, configuration.scope(), candidate.job->resources,
                                         *tools.occupancy_device);
    } catch (const Failure&) {
      return;  // fails with the right words when it is measured
    }
    const std::string obstacle = plan_obstacle(trial.launches, *tools.occupancy_device);
    if (obstacle.empty()) return;
    trial.outcome = Outcome::exceeds_device_limit;
    trial.detail = obstacle;
  }

  void report(const Asked& asked, double cost) {
    const double seconds = seconds_since(start_);
    costs_[asked.pending.configuration.name()] = cost;
    tuning_.store.add_search_step(summary_.run, ++summary_.evaluations, asked.pending.configuration,
                                  cost == kFailed ? std::nullopt : std::optional(cost), seconds);
    search_.report(asked.point, cost);
    const SearchBudget& budget = summary_.start.budget;
    tuning_.progress.advanced(budget.evaluations ? static_cast<double>(summary_.evaluations) /
                                                       static_cast<double>(problem_.budget)
                                                 : std::min(1.0, seconds / *budget.seconds));
  }

  void finish() {
    summary_.phases = maker_.phases();
    summary_.weak_reference = tuning_.bench.reference.take_weakness();
    summary_.total_s = seconds_since(start_);
    tuning_.store.set_phases(summary_.run, summary_.phases, summary_.total_s);
    tuning_.store.finish_search(summary_.run, summary_.stopped_by);
    tuning_.store.finish_run(summary_.run, summary_.stopped_by == "interrupt" ? "interrupted" : "done",
                             utc_now());
  }

  // What ran, the best first.
  std::vector<Evaluation> ranking() const {
    std::vector<Evaluation> order = search_.history();
    std::erase_if(order, [](const Evaluation& one) { return one.cost == kFailed; });
    std::stable_sort(order.begin(), order.end(),
                     [](const Evaluation& one, const Evaluation& other) { return one.cost < other.cost; });
    return order;
  }

  Tuning& tuning_;
  const ConfigurationSpace& space_;
  TrialMaker maker_;
  SearchProblem problem_;
  Search search_;
  std::size_t asked_ = 0;
  Clock::time_point start_ = Clock::now();
  std::map<std::string, std::int64_t> known_;  // trials by key
  std::string reference_key_;
  std::deque<Asked> queue_;              // in the order of asking
  std::map<std::string, double> costs_;  // by name of the configuration
  std::set<Point> identical_;            // to another one evaluated
  SearchSummary summary_;
};

}  // namespace

SearchSummary search_problem(Tuning& tuning, const ConfigurationSpace& space,
                             const LaunchKnowledge& knowledge, SearchStart start) {
  return ProblemSearch(tuning, space, knowledge, std::move(start)).run();
}

}  // namespace tailwave
