#include "tune/problem_search.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <list>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/stopwatch.h"
#include "measure/launch_description.h"
#include "search/search.h"
#include "store/search_store.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"
#include "tune/finalists.h"
#include "tune/search_cost.h"
#include "tune/trial_maker.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

// A row, which has nothing of a variant without parameters, for a compile process: that may be older than the point's
// number.
std::string text_of(std::span<const std::uint16_t> row) {
  if (row.empty()) return "";
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}
std::vector<std::uint16_t> row_from(const std::string& text) {
  std::vector<std::uint16_t> row(text.size() / sizeof(std::uint16_t));
  if (!row.empty()) std::memcpy(row.data(), text.data(), row.size() * sizeof(std::uint16_t));
  return row;
}

// What rules configurations of the problem out, once each.
std::vector<std::string> constraints_of(const Tuning& tuning, const ProblemSpace& space) {
  const Experiment& experiment = tuning.experiment;
  std::vector<std::string> texts;
  const auto add = [&](const Expression& constraint) {
    if (std::find(texts.begin(), texts.end(), constraint.text()) == texts.end())
      texts.push_back(constraint.text());
  };
  std::ranges::for_each(experiment.constraints, add);
  if (tuning.team.tools().device->description().kind == DeviceKind::cpu)
    std::ranges::for_each(experiment.cpu_constraints, add);
  for (const Case& one : experiment.cases) {
    const VariantSpec& variant = *experiment.system.find_variant(one.variant);
    if (variant.target == space.target() && variant.domain) add(*variant.domain);
  }
  return texts;
}

// The search on one problem.
class ProblemSearch {
 public:
  ProblemSearch(Tuning& tuning, const ProblemSpace& space, const LaunchKnowledge& knowledge,
                const PriorCosts* prior, SearchStart start)
      : tuning_(tuning),
        space_(space),
        maker_(tuning.experiment, tuning.searching, tuning.team, tuning.store, tuning.options.stop_requested),
        problem_{.space = &space.points(),
                 .budget = expected_evaluations(start),
                 .seed = tuning.options.seed,
                 .knowledge = &knowledge.knowledge,
                 .prior = prior,
                 .constraints = constraints_of(tuning, space),
                 .fixed = space.problem(),
                 .stop_requested = tuning.options.stop_requested},
        search_(problem_, tuning.options.strategy->make(problem_, tuning.options.options)),
        outlook_(tuning.options.until.value_or(StopTerms{}).gain) {
    summary_.start = std::move(start);
  }

  SearchSummary run() {
    tuning_.progress.search_started(summary_.start);
    begin();
    try {
      evaluate_all();
    } catch (const Cancelled&) {
      summary_.stopped_by = SearchEnd::interrupt;
    } catch (...) {
      tuning_.store.give_up_run(summary_.run, utc_now());
      throw;
    }
    finish();
    if (summary_.stopped_by != SearchEnd::until) note_outlook();
    for (const Evaluation& one : search_.history()) {
      if (identical_.contains(one.point)) continue;
      double cost = one.cost;
      if (given_up_.contains(one.point)) cost = kFailed;
      summary_.evaluated.emplace_back(space_.configuration(one.point), cost);
    }
    choose_best(tuning_, space_, ranking(), identical_, summary_);
    return std::move(summary_);
  }

 private:
  // A point that the strategy asked for, until its cost is reported.
  struct Asked {
    Point point;
    Configuration configuration;
    std::optional<std::int64_t> known;   // the trial of an earlier run that has its result
    std::optional<Candidate> candidate;  // of another, until it is under way
  };
  // Of the point's build; the reference has another.
  static constexpr std::size_t kReference = 0;
  static std::size_t number_of(Point point) { return std::size_t{point} + 1; }

  static std::optional<std::string> until_text(const std::optional<StopTerms>& until) {
    return until ? std::optional(to_string(*until)) : std::nullopt;
  }

  static std::size_t possible_of(const SearchStart& start) {
    return static_cast<std::size_t>(start.space_size.whole()) - start.impossible;
  }

  // Of a budget in seconds nobody knows: as many as a device would make that takes half a second for each.
  static std::size_t expected_evaluations(const SearchStart& start) {
    constexpr double kSecondsEach = 0.5;
    const std::size_t possible = possible_of(start);
    if (start.budget.evaluations) return std::min(*start.budget.evaluations, possible);
    const double guess = std::max(1.0, *start.budget.seconds / kSecondsEach);
    return guess < static_cast<double>(possible) ? static_cast<std::size_t>(guess) : possible;
  }

  DeviceDescription device() const { return tuning_.team.tools().device->description(); }

  void begin() {
    const Experiment& experiment = tuning_.experiment;
    if (!tuning_.options.fresh)
      known_ = tuning_.store.finished_trials(experiment.name, device(), experiment.system.name,
                                             experiment.measure.build_deadline_s);
    keys_.emplace(maker_.keys());
    RunRecord record = describe_experiment(tuning_.environment, experiment, tuning_.team.tools());
    record.seed = static_cast<std::int64_t>(tuning_.options.seed);
    record.shard = to_string(tuning_.options.shard);
    summary_.run = tuning_.store.begin_run(record, device(), known_plan());
    const SearchStart& start = summary_.start;
    Values options;
    for (const auto& [name, value] : tuning_.options.options) options[name] = value;
    if (!start.begins_with.empty()) options["start"] = start.begins_with;
    const SearchRecord search{.strategy = tuning_.options.strategy->name,
                              .options = options,
                              .seed = tuning_.options.seed,
                              .budget_evaluations = start.budget.evaluations,
                              .budget_s = start.budget.seconds,
                              .until = until_text(tuning_.options.until),
                              .space_size = static_cast<std::size_t>(start.space_size.whole()),
                              .pruned = start.impossible,
                              .configurations = tuning_.configurations};
    if (!tuning_.options.fresh)
      for (Configuration& one :
           steps_of_earlier_search(tuning_.store.database(), summary_.run, search, start.problem))
        earlier_.push_back(std::move(one));
    begin_search(tuning_.store.database(), summary_.run, search);
  }

  // What the experiment has of the configurations that the database knows: a plan of all might have millions.
  std::vector<Configuration> known_plan() {
    std::vector<Configuration> plan =
        tuning_.store.known_configurations(tuning_.experiment.name, device(), tuning_.experiment.system.name);
    std::erase_if(plan, [&](const Configuration& configuration) {
      const auto has = [&](const ProblemSpace& space) { return space.has(configuration); };
      return std::none_of(tuning_.spaces.spaces.begin(), tuning_.spaces.spaces.end(), has) &&
             std::none_of(tuning_.others.begin(), tuning_.others.end(), [&](const ProblemSpaces& other) {
               return std::any_of(other.spaces.begin(), other.spaces.end(), has);
             });
    });
    return plan;
  }

  // Of what is asked for, what is built is measured. What is asked for depends on nothing but the order in which
  // costs are reported, which is stored.
  void evaluate_all() {
    CompilePool pool(
        tuning_.options.build_processes,
        [&](std::size_t i, const std::string& row) {
          return i == kReference ? maker_.build_reference()
                                 : maker_.build(space_.configuration(row_from(row)));
        },
        tuning_.experiment.measure.build_deadline_s);
    pool.ask(kReference);
    ask_ahead(pool);
    if (!queue_.empty()) maker_.prepare(queue_.front().configuration);
    try {
      pool.take(kReference, tuning_.options.stop_requested);
      while (go_on()) {
        if (tell_what_is_known(pool) || begin_what_is_built(pool)) continue;
        if (tuning_.team.answer_is_there())
          finish_oldest(pool);
        else
          maker_.wait(pool);
      }
    } catch (...) {
      keep_what_is_measured(pool);
      throw;
    }
    ending_ = true;
    while (!tuning_.team.is_idle()) finish_oldest(pool);
  }

  // What is measured is not lost because something else went wrong, which is what is told.
  void keep_what_is_measured(CompilePool& pool) noexcept {
    ending_ = true;
    try {
      while (!tuning_.team.is_idle()) finish_oldest(pool);
    } catch (const std::exception&) {
      return;
    }
  }

  // Whether there is anything left to do; else it is said why not.
  bool go_on() {
    const std::optional<double>& seconds = summary_.start.budget.seconds;
    if (maker_.stopped())
      summary_.stopped_by = SearchEnd::interrupt;
    else if (is_enough()) {
      summary_.stopped_by = SearchEnd::until;
      note_outlook();
    } else if (seconds && seconds_since(start_) >= *seconds)
      summary_.stopped_by = SearchEnd::budget;
    else if (queue_.empty())
      summary_.stopped_by = why_empty();
    else
      return true;
    return false;
  }

  [[nodiscard]] bool is_enough() const {
    const std::optional<StopTerms>& until = tuning_.options.until;
    return until && outlook_.probability() < until->probability;
  }

  // As it is now: what is under way when a search ends changes nothing.
  void note_outlook() {
    if (summary_.evaluations + Outlook::kAhead > possible_of(summary_.start) || outlook_.probability() == 1)
      return;
    summary_.outlook = {tuning_.options.until.value_or(StopTerms{}).gain, outlook_.probability()};
  }

  [[nodiscard]] SearchEnd why_empty() const {
    if (summary_.failure) return SearchEnd::strategy;
    return search_.exhausted() ? SearchEnd::space : SearchEnd::budget;
  }

  // What it was given up beside is not there any more.
  void measure_after_all(Asked& asked, CompilePool& pool) {
    asked.known = {};
    asked.candidate = maker_.to_do(
        asked.configuration,
        keys_->key(asked.configuration, keys_->build_key(asked.configuration), tuning_.searching),
        number_of(asked.point));
    pool.ask(number_of(asked.point), text_of(space_.points().digits(asked.point)));
  }

  bool tell_what_is_known(CompilePool& pool) {
    const auto asked = next_known();
    if (asked == queue_.end()) return false;
    const StoredResult result = tuning_.store.result_of(*asked->known);
    if (result.outcome == Outcome::given_up &&
        !maker_.is_hopeless(asked->configuration, result.at_least_ns.value_or(0))) {
      measure_after_all(*asked, pool);
      return true;
    }
    ++summary_.reused;
    maker_.refresh(*asked->known);
    const bool has_twin = costs_.contains(result.same_as);
    if (has_twin) identical_.insert(asked->point);
    const Configuration& configuration = asked->configuration;
    maker_.remember(configuration, *asked->known, has_twin ? result.same_as : configuration.name());
    double cost = stored_cost(tuning_.experiment.metric, result);
    if (cost != kFailed) maker_.race_against(configuration, *result.median_ns);
    if (result.outcome == Outcome::given_up) {
      given_up_.insert(asked->point);
      cost = stored_least_cost(tuning_.experiment.metric, result);
    }
    report(asked, cost, pool);
    return true;
  }

  // In the order of an earlier search with the same seed as far as that went; then in that of asking, or any.
  std::list<Asked>::iterator next_known() {
    const auto find = [&](auto wanted) { return std::find_if(queue_.begin(), queue_.end(), wanted); };
    if (!earlier_.empty()) {
      const auto next = find([&](const Asked& one) { return one.configuration == earlier_.front(); });
      if (next != queue_.end() && next->known) {
        earlier_.pop_front();
        return next;
      }
      earlier_.clear();  // the space or what is known of it has changed
    }
    if (tuning_.options.ordered)
      return !queue_.empty() && queue_.front().known ? queue_.begin() : queue_.end();
    return find([](const Asked& one) { return one.known.has_value(); });
  }

  bool begin_what_is_built(CompilePool& pool) {
    if (!built_) built_ = next_built(pool);
    if (!built_) return false;
    if (drift_is_due_ && tuning_.team.is_idle()) {
      maker_.measure_drift(summary_.run);
      drift_is_due_ = false;
    }
    if (drift_is_due_ || !tuning_.team.has_room_for(*built_)) return false;
    maker_.begin(*std::exchange(built_, {}));
    return true;
  }

  // One more that can be measured: the first that is built, or with a fixed order the first that was asked for.
  std::optional<Candidate> next_built(CompilePool& pool) {
    const auto is_waiting = [](const Asked& one) { return one.known || one.candidate; };
    auto next = queue_.end();
    std::optional<Built> built;
    if (tuning_.options.ordered) {
      next = std::find_if(queue_.begin(), queue_.end(), is_waiting);
      if (next == queue_.end() || next->known) return {};
      built = pool.take_if_there(number_of(next->point));
    } else if (auto any = pool.take_any(0, tuning_.options.stop_requested)) {
      next = std::find_if(queue_.begin(), queue_.end(), [&](const Asked& one) {
        return one.candidate && one.candidate->number == any->first;
      });
      built = std::move(any->second);
    }
    if (!built) return {};
    Candidate candidate = *std::exchange(next->candidate, {});
    maker_.take(candidate, *std::move(built));
    refuse_what_cannot_run(candidate);
    return candidate;
  }

  void finish_oldest(CompilePool& pool) {
    const Candidate candidate = maker_.finish();
    const auto asked = std::find_if(queue_.begin(), queue_.end(), [&](const Asked& one) {
      return !one.known && number_of(one.point) == candidate.number;
    });
    const std::int64_t stored = maker_.store(summary_.run, candidate);
    if (candidate.gpu) gpus_[asked->point] = *candidate.gpu;
    const Trial& trial = candidate.trial;
    ++summary_.outcomes[trial.outcome];
    tuning_.progress.finished(trial, summary_.evaluations + 1,
                              summary_.start.budget.evaluations ? problem_.budget : 0);
    if (trial.outcome == Outcome::skipped_identical) identical_.insert(asked->point);
    if (is_given_up(trial, stored)) given_up_.insert(asked->point);
    report(asked, cost_of(trial, stored), pool);
  }

  // Itself, or what it is identical to.
  [[nodiscard]] bool is_given_up(const Trial& trial, std::int64_t stored) const {
    return trial.outcome == Outcome::given_up ||
           (trial.outcome == Outcome::skipped_identical &&
            tuning_.store.result_of(stored).outcome == Outcome::given_up);
  }

  [[nodiscard]] double cost_of(const Trial& trial, std::int64_t stored) const {
    if (trial.outcome == Outcome::skipped_identical) return costs_.at(trial.same_as);
    const Metric& metric = tuning_.experiment.metric;
    if (trial.outcome == Outcome::given_up) return tailwave::cost_of(metric, *trial.at_least_ns, trial.work);
    if (trial.outcome != Outcome::correct) return kFailed;
    if (metric.value) return stored_cost(metric, tuning_.store.result_of(stored));
    return tailwave::cost_of(metric, median_ns(trial), trial.work);
  }

  [[nodiscard]] std::size_t most_ahead() const {
    const SearchBudget& budget = summary_.start.budget;
    // Where all are measured anyway the order is worth little.
    const bool takes_all = budget.evaluations && *budget.evaluations >= possible_of(summary_.start);
    if (budget.seconds || takes_all) return 2 * std::size_t{std::max(1U, tuning_.options.build_processes)};
    const std::size_t gpus = tuning_.team.left().size();
    const std::size_t ahead = points_ahead(summary_.evaluations);
    return gpus == 1 ? ahead : std::max(ahead, 2 * gpus);
  }

  void ask_ahead(CompilePool& pool) {
    const std::optional<std::size_t>& budget = summary_.start.budget.evaluations;
    const std::size_t ahead = most_ahead();
    while (queue_.size() < ahead && (!budget || asked_ < *budget)) {
      std::size_t most = ahead - queue_.size();
      if (budget) most = std::min(most, *budget - asked_);
      const std::vector<Point> points = next_points(most);
      if (points.empty()) return;
      asked_ += points.size();
      for (const Point point : points) ask(point, pool);
    }
  }

  // None after the strategy has failed: what it has asked for before is measured all the same.
  std::vector<Point> next_points(std::size_t most) {
    if (summary_.failure) return {};
    try {
      return search_.next(most);
    } catch (const StrategyFailure& failure) {
      summary_.failure = failure;
      return {};
    }
  }

  void ask(Point point, CompilePool& pool) {
    Asked& asked = queue_.emplace_back(Asked{point, space_.configuration(point), {}, {}});
    const std::string build_key = keys_->build_key(asked.configuration);
    const auto key_with = [&](const MeasureSettings& settings) {
      return keys_->key(asked.configuration, build_key, settings);
    };
    std::string key = key_with(tuning_.searching);
    // Its own first: what was told once is told again, whatever was measured since.
    auto found = known_.find(key);
    for (const MeasureSettings* other : {&tuning_.experiment.measure, &std::as_const(tuning_.final)})
      if (found == known_.end()) found = known_.find(key_with(*other));
    if (found != known_.end()) {
      asked.known = found->second;
      return;
    }
    asked.candidate = maker_.to_do(asked.configuration, std::move(key), number_of(point));
    pool.ask(number_of(point), text_of(space_.points().digits(point)));
  }

  // On a GPU the occupancy device is the device itself.
  void refuse_what_cannot_run(Candidate& candidate) const {
    const Tools& tools = tuning_.team.tools();
    if (!candidate.is_alive() || tools.device->description().kind != DeviceKind::cuda ||
        !tools.occupancy_device)
      return;
    if (candidate.variant().target != VariantSpec::Target::cuda) return;
    Trial& trial = candidate.trial;
    try {
      trial.launches = describe_launches(candidate.variant(), trial.configuration.scope(),
                                         candidate.artifact->resources, *tools.occupancy_device);
    } catch (const Failure&) {
      return;  // fails with the right words when it is measured
    }
    const std::string obstacle = plan_obstacle(trial.launches, *tools.occupancy_device);
    if (!obstacle.empty()) candidate.fail(Outcome::exceeds_device_limit, obstacle);
  }

  void report(std::list<Asked>::iterator asked, double cost, CompilePool& pool) {
    const double seconds = seconds_since(start_);
    const Configuration& configuration = asked->configuration;
    costs_[configuration.name()] = cost;
    double found = cost;
    if (given_up_.contains(asked->point)) found = kFailed;
    add_search_step(tuning_.store.database(), summary_.run, ++summary_.evaluations, configuration,
                    found == kFailed ? std::nullopt : std::optional(found), seconds);
    search_.report(asked->point, cost);
    outlook_.tell(found);
    queue_.erase(asked);
    drift_is_due_ = drift_is_due_ || summary_.evaluations % kGroup == 0;
    const SearchBudget& budget = summary_.start.budget;
    tuning_.progress.advanced(budget.evaluations ? static_cast<double>(summary_.evaluations) /
                                                       static_cast<double>(problem_.budget)
                                                 : std::min(1.0, seconds / *budget.seconds));
    if (!ending_) ask_ahead(pool);
  }

  void finish() {
    for (const GpuFactor& one : maker_.compare_gpus(summary_.run)) factors_[one.gpu] = one.factor;
    summary_.phases = maker_.phases();
    summary_.weak_reference = tuning_.team.first().reference().take_weakness();
    summary_.total_s = seconds_since(start_);
    tuning_.store.set_phases(summary_.run, summary_.phases, summary_.total_s);
    finish_search(tuning_.store.database(), summary_.run, summary_.stopped_by);
    tuning_.store.finish_run(
        summary_.run, summary_.stopped_by == SearchEnd::interrupt ? RunStatus::interrupted : RunStatus::done,
        utc_now());
  }

  // What ran, the best first. Costs are as the first GPU would have them.
  std::vector<Evaluation> ranking() const {
    std::vector<Evaluation> order = search_.history();
    for (Evaluation& one : order) {
      const auto gpu = gpus_.find(one.point);
      const auto factor = gpu == gpus_.end() ? factors_.end() : factors_.find(gpu->second);
      if (factor != factors_.end() && !tuning_.experiment.metric.value) one.cost /= factor->second;
    }
    std::erase_if(order, [this](const Evaluation& one) {
      return one.cost == kFailed || given_up_.contains(one.point);
    });
    std::stable_sort(order.begin(), order.end(),
                     [](const Evaluation& one, const Evaluation& other) { return one.cost < other.cost; });
    return order;
  }

  Tuning& tuning_;
  const ProblemSpace& space_;
  TrialMaker maker_;
  SearchProblem problem_;
  Search search_;
  std::size_t asked_ = 0;
  Clock::time_point start_ = Clock::now();
  std::map<std::string, std::int64_t> known_;  // trials by key
  std::optional<TrialKeys> keys_;
  std::list<Asked> queue_;             // in the order of asking, until their costs are reported
  std::optional<Candidate> built_;     // waits for the device
  std::deque<Configuration> earlier_;  // of an earlier search with the same seed, as far as not told
  bool drift_is_due_ = false, ending_ = false;
  std::map<std::string, double> costs_;    // by name of the configuration
  std::set<Point> identical_;              // to another one evaluated
  std::map<Point, std::size_t> gpus_;      // where each was measured
  std::map<std::size_t, double> factors_;  // of these
  std::set<Point> given_up_;               // what they cost at least is told and not ranked
  Outlook outlook_;
  SearchSummary summary_;
};

}  // namespace

SearchSummary search_problem(Tuning& tuning, const ProblemSpace& space, const LaunchKnowledge& knowledge,
                             const PriorCosts* prior, SearchStart start) {
  return ProblemSearch(tuning, space, knowledge, prior, std::move(start)).run();
}

}  // namespace tailwave
