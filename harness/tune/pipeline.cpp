#include "tune/pipeline.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/program_identity.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "spec/empty_space.h"
#include "spec/select.h"
#include "store/gpu_store.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"
#include "tune/trial_maker.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

class Pipeline {
 public:
  Pipeline(const Experiment& experiment, Team& team, ResultStore& store, const PipelineOptions& options,
           Progress& progress)
      : experiment_(experiment),
        settings_(options.measure.value_or(experiment.measure)),
        team_(team),
        store_(store),
        options_(options),
        progress_(progress),
        maker_(experiment, settings_, team, store, options.stop_requested),
        random_(options.seed) {}

  RunSummary run(RunRecord record) {
    const Clock::time_point start = Clock::now();
    find_what_is_to_do();
    record.configurations = configurations_;
    summary_.to_measure = to_do_.size();
    shuffle(to_do_, random_);
    if (!options_.only.empty() && team_.size() > 1)
      give_each_problem_a_gpu();
    else
      put_in_runs();
    summary_.run = store_.begin_run(record, device(), plan_);
    if (!options_.gpu_factors.empty()) maker_.store_gpu_factors(summary_.run, options_.gpu_factors);
    try {
      measure_all();
    } catch (const Cancelled&) {
      keep_what_is_measured();
      summary_.interrupted = true;
    } catch (...) {
      keep_what_is_measured();
      store_.give_up_run(summary_.run, utc_now());
      throw;
    }
    summary_.interrupted = summary_.interrupted || maker_.stopped();
    summary_.phases = maker_.phases();
    summary_.weak_reference = team_.first().reference().take_weakness();
    summary_.total_s = seconds_since(start);
    store_.set_phases(summary_.run, summary_.phases, summary_.total_s);
    store_.finish_run(summary_.run, summary_.interrupted ? RunStatus::interrupted : RunStatus::done,
                      utc_now());
    return summary_;
  }

 private:
  // The way of a run: whatever is built first is measured, group by group, and while the device works at one
  // configuration the results of the one before are compared and stored.
  void measure_all() {
    if (to_do_.empty()) return;
    CompilePool pool(
        1 + to_do_.size(), options_.build_processes, [this](std::size_t i) { return build(i); },
        settings_.build_deadline_s);
    maker_.prepare(to_do_.front().configuration());
    pool.take(kReference, options_.stop_requested);
    for (std::size_t left = to_do_.size(); left > 0 && !maker_.stopped();) {
      const std::size_t size = std::min(left, group_size());
      for (std::size_t i = 0; i < size && !maker_.stopped(); ++i) begin_or_go_on(next_built(pool));
      left -= size;
      if (settings_.repetitions > 1)
        end_group();
      else if (left > 0)
        begin_drift();
    }
    finish_all();
    if (to_do_.size() > 1) maker_.measure_drift(summary_.run);
    if (options_.only.empty()) summary_.gpu_factors = maker_.compare_gpus(summary_.run);
  }

  // Or the first one all of a problem that may not run elsewhere. The problems of a GPU follow one another, and the GPUs
  // take turns, so that all have something to do.
  void give_each_problem_a_gpu() {
    const std::size_t count = to_do_.size();
    std::map<Values, std::vector<Candidate>> problems;
    for (Candidate& one : std::exchange(to_do_, {}))
      problems[one.configuration().problem].push_back(std::move(one));
    const std::vector<std::size_t> gpus = team_.left();
    std::vector<std::vector<Candidate>> by_gpu(gpus.size());
    std::size_t next = 0;
    for (auto& [problem, candidates] : problems) {
      const bool share = std::ranges::all_of(candidates, Team::shares_gpus);
      const std::size_t place = share ? next++ % gpus.size() : 0;
      for (Candidate& one : candidates) {
        one.gpu = gpus[place];
        by_gpu[place].push_back(std::move(one));
      }
    }
    for (std::size_t turn = 0; to_do_.size() < count; ++turn)
      for (std::vector<Candidate>& of_a_gpu : by_gpu)
        if (turn < of_a_gpu.size()) to_do_.push_back(std::move(of_a_gpu[turn]));
  }

  [[nodiscard]] std::size_t group_size() const { return kGroup * team_.size(); }

  // Runs of a problem, `most` in each, where the first of a run comes. Whenever the problem changes, a device has to have
  // other inputs and expected results, which may be gigabytes.
  static std::vector<std::vector<Candidate>> runs_of(std::vector<Candidate> candidates, std::size_t most) {
    std::vector<std::vector<Candidate>> runs;
    std::map<Values, std::size_t> latest;  // the place in `runs`, by problem
    for (Candidate& one : candidates) {
      const auto [known, is_new] = latest.try_emplace(one.configuration().problem, runs.size());
      if (!is_new && runs[known->second].size() == most) known->second = runs.size();
      if (known->second == runs.size()) runs.emplace_back();
      runs[known->second].push_back(std::move(one));
    }
    return runs;
  }

  void put_in_runs() {
    std::vector<std::vector<Candidate>> runs = runs_of(std::exchange(to_do_, {}), kOfAProblem * team_.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs_.insert(runs_.end(), runs[i].size(), i);
      std::ranges::move(runs[i], std::back_inserter(to_do_));
    }
  }

  using Reused = std::vector<std::pair<Configuration, std::int64_t>>;

  [[nodiscard]] DeviceDescription device() const { return team_.tools().device->description(); }

  // All that the experiment has, but for what the database has.
  void find_what_is_to_do() {
    const TrialKeys keys = maker_.keys();
    const auto key_of = [&](const Configuration& configuration) {
      return keys.key(configuration, keys.build_key(configuration), settings_);
    };
    if (!options_.only.empty()) {
      for (const Configuration& one : options_.only) add(one, key_of(one));
      return progress_.started(to_do_.size(), 0, 0);
    }
    const bool on_cpu = team_.tools().device->description().kind == DeviceKind::cpu;
    Selection selection = select_from(experiment_, on_cpu, options_.filter);
    if (selection.all.empty() && selection.selected.empty()) refuse_empty(experiment_, on_cpu);
    std::map<std::string, std::int64_t> finished;
    if (!options_.fresh && settings_.repetitions > 1)
      unfinished_ = store_.unfinished_trials(program_identity());
    if (!options_.fresh)
      finished = store_.finished_trials(experiment_.name, device(), experiment_.system.name,
                                        experiment_.measure.build_deadline_s);
    Reused reused;  // with their trials
    std::set<std::string> chosen;
    if (!options_.shard.is_whole()) keep_own_share(selection);
    for (const Configuration& configuration : selection.chosen(options_.filter)) {
      std::string key = key_of(configuration);
      if (!options_.filter.empty()) chosen.insert(configuration.name());
      if (const auto known = finished.find(key); known != finished.end())
        reused.emplace_back(configuration, known->second);
      else
        add(configuration, std::move(key));
    }
    for (const Configuration& configuration : no_longer_hopeless(reused))
      add(configuration, key_of(configuration));
    if (!to_do_.empty()) remember(reused);
    summary_.reused = reused.size();
    for (const auto& [configuration, trial] : reused) {
      ++summary_.reused_outcomes[store_.outcome_of(trial)];
      maker_.refresh(trial);
    }
    if (!options_.filter.empty()) summary_.outdated = outdated_beside(chosen, key_of);
    summary_.left_out = selection.left_out_on_cpu;
    plan_ = std::move(selection.all);
    progress_.started(to_do_.size(), summary_.reused, summary_.left_out);
  }

  // Of what there is and of what the filter means.
  void keep_own_share(Selection& selection) {
    configurations_ = static_cast<std::int64_t>(selection.all.size());
    const std::size_t chosen = selection.chosen(options_.filter).size();
    const std::size_t own = keep_own(selection.all);
    const std::size_t own_chosen = options_.filter.empty() ? own : keep_own(selection.selected);
    summary_.of_other_shards = chosen - own_chosen;
    progress_.shard_chosen(options_.shard, own_chosen, chosen);
  }

  // Those of the shard, which are so many, and the anchor: the first, whosever it is.
  [[nodiscard]] std::size_t keep_own(std::vector<Configuration>& all) const {
    std::vector<Configuration> own;
    std::ranges::copy_if(all, std::back_inserter(own),
                         [&](const Configuration& one) { return options_.shard.has(one.name()); });
    const std::size_t count = own.size();
    if (count >= kAnchorShare && own.front() != all.front()) own.insert(own.begin(), all.front());
    all = std::move(own);
    return count;
  }

  // What has a result is what others are given up beside. Takes out those that were given up beside something that is not
  // there any more.
  std::vector<Configuration> no_longer_hopeless(Reused& reused) {
    if (settings_.give_up.value_or(0) == 0) return {};
    std::map<std::int64_t, double> at_least_ns;  // by trial
    for (const auto& [configuration, trial] : reused) {
      const StoredResult result = store_.result_of(trial);
      if (result.outcome == Outcome::correct && result.median_ns)
        maker_.give_up_beside(configuration, *result.median_ns);
      if (result.at_least_ns) at_least_ns[trial] = *result.at_least_ns;
    }
    std::vector<Configuration> again;
    std::erase_if(reused, [&](const auto& one) {
      const auto given_up = at_least_ns.find(one.second);
      if (given_up == at_least_ns.end() || maker_.is_hopeless(one.first, given_up->second)) return false;
      again.push_back(one.first);
      return true;
    });
    return again;
  }

  template <class KeyOf>
  [[nodiscard]] std::size_t outdated_beside(const std::set<std::string>& chosen, const KeyOf& key_of) {
    const auto current = store_.current_keys(experiment_.system.name, experiment_.name, device());
    return static_cast<std::size_t>(std::count_if(current.begin(), current.end(), [&](const auto& one) {
      const auto& [configuration, key] = one;
      if (chosen.contains(configuration.name())) return false;
      return experiment_.system.find_variant(configuration.variant) == nullptr ||
             key_of(configuration) != key;
    }));
  }

  void add(const Configuration& configuration, std::string key) {
    to_do_.push_back(maker_.to_do(configuration, std::move(key), to_do_.size()));
    if (!unfinished_.empty()) maker_.resume(to_do_.back(), unfinished_);
  }

  void remember(const Reused& reused) {
    for (const auto& [configuration, trial] : reused) {
      const std::string same_as = store_.result_of(trial).same_as;
      maker_.remember(configuration, trial, same_as.empty() ? configuration.name() : same_as);
    }
  }

  // The reference is the first build, since nothing can be verified without it; then comes to_do_[i - 1].
  static constexpr std::size_t kReference = 0;
  [[nodiscard]] Built build(std::size_t i) const {
    return i == kReference ? maker_.build_reference() : maker_.build(to_do_[i - 1].configuration());
  }

  // Of what is built: of the run in hand, as long as there is any, else what came first.
  std::optional<std::pair<std::size_t, Built>> take_built(CompilePool& pool) {
    pool.receive();
    if (!runs_.empty())
      for (const std::size_t i : pool.there())
        if (runs_[i - 1] == run_in_hand_) return std::pair(i, *pool.take_if_there(i));
    auto built = pool.take_any(0, options_.stop_requested);
    if (built && !runs_.empty()) run_in_hand_ = runs_[built->first - 1];
    return built;
  }

  Candidate next_built(CompilePool& pool) {
    for (;;) {
      if (auto built = take_built(pool)) {
        Candidate candidate = std::move(to_do_[built->first - 1]);
        maker_.take(candidate, std::move(built->second));
        return candidate;
      }
      if (team_.answer_is_there())
        finish_oldest();
      else
        maker_.wait(pool);
    }
  }

  // What an earlier run has begun goes on in a later block.
  void begin_or_go_on(Candidate candidate) {
    if (candidate.is_first() || !candidate.is_alive()) return begin(std::move(candidate));
    turns_ += candidate.begun;
    group_.push_back(std::move(candidate));
  }

  void begin(Candidate candidate) {
    while (!team_.has_room_for(candidate)) finish_oldest();
    maker_.begin(std::move(candidate));
  }

  // Among what is measured: a GPU does not wait until all others are done with theirs.
  void begin_drift() {
    for (Candidate& one : maker_.next_drift()) begin(std::move(one));
  }

  void finish_oldest() {
    Candidate candidate = maker_.finish();
    if (candidate.drift_block) return maker_.store_drift(summary_.run, std::move(candidate));
    const bool is_over = !candidate.is_alive() || candidate.begun == candidate.repetitions;
    turns_ += is_over ? candidate.repetitions - candidate.begun + 1 : 1;
    progress_.advanced(turns_ / (static_cast<double>(to_do_.size()) * settings_.repetitions));
    if (!is_over) {
      maker_.keep(summary_.run, candidate);
      group_.push_back(std::move(candidate));
    } else if (candidate.trial.outcome == Outcome::skipped_identical && settings_.repetitions > 1)
      twins_.push_back(std::move(candidate));
    else
      store(candidate);
  }

  void finish_all() {
    while (!team_.is_idle()) finish_oldest();
  }

  void end_group() {
    finish_all();
    // More often where a GPU was lost and another one begins anew what it had.
    while (!group_.empty() && !maker_.stopped()) measure_again();
    if (!maker_.stopped()) store_twins();
  }

  // A block after the first.
  void measure_again() {
    std::ranges::sort(group_, {}, &Candidate::number);
    shuffle(group_, random_);
    const std::size_t size = group_.size();
    std::vector<Candidate> block;
    for (std::vector<Candidate>& run : runs_of(std::exchange(group_, {}), size))
      std::ranges::move(run, std::back_inserter(block));
    maker_.measure_drift(summary_.run);
    // In this order on each GPU.
    while (!block.empty() && !maker_.stopped()) {
      const auto next =
          std::ranges::find_if(block, [this](const Candidate& one) { return team_.has_room_for(one); });
      if (next == block.end()) {
        finish_oldest();
        continue;
      }
      maker_.begin(std::move(*next));
      block.erase(next);
    }
    finish_all();
  }

  void store_twins() {
    for (const Candidate& twin : twins_) store(twin);
    twins_.clear();
  }

  void store(const Candidate& candidate) {
    maker_.store(summary_.run, candidate);
    ++summary_.outcomes[candidate.trial.outcome];
    progress_.finished(candidate.trial, ++done_, to_do_.size());
  }

  // What is measured is not lost because something else went wrong, which is what is told.
  void keep_what_is_measured() noexcept {
    try {
      finish_all();
    } catch (const std::exception&) {
      return;
    }
  }

  const Experiment& experiment_;
  const MeasureSettings settings_;
  Team& team_;
  ResultStore& store_;
  const PipelineOptions& options_;
  Progress& progress_;
  TrialMaker maker_;
  Generator random_;
  RunSummary summary_;
  std::vector<Configuration> plan_;             // all that the experiment has, or the shard
  std::optional<std::int64_t> configurations_;  // of the experiment, for a shard
  std::vector<Candidate> to_do_;                // in random order; those that are built have left
  std::vector<std::size_t> runs_;               // the run of each of these; empty: there are none
  std::size_t run_in_hand_ = 0;
  std::map<std::string, UnfinishedTrial> unfinished_;
  std::vector<Candidate> group_;  // between two blocks
  std::vector<Candidate> twins_;  // of others of the group, whose results have to be stored first
  std::size_t done_ = 0;          // configurations
  double turns_ = 0;
};

// How much of a difference the factors leave open, as a share.
double left_open(const std::vector<GpuFactor>& factors) {
  double most = 0;
  for (const GpuFactor& one : factors)
    most = std::max(most, one.interval ? one.interval->high / one.interval->low - 1 : kOneGpuShare);
  return most;
}

void measure_leaders_again(const Experiment& experiment, Team& team, ResultStore& store,
                           const RunRecord& environment, const PipelineOptions& options, Progress& progress,
                           RunSummary& summary) {
  PipelineOptions again = options;
  again.only = leaders_of_several_gpus(store.database(), experiment.system.name, experiment.name,
                                       team.tools().device->description(),
                                       kOneGpuShare + left_open(summary.gpu_factors), kMostOnOneGpu);
  if (again.only.empty()) return;
  again.gpu_factors = summary.gpu_factors;
  const RunSummary run = run_experiment(experiment, team, store, environment, again, progress);
  summary.leaders_run = run.run;
  summary.leaders = again.only.size();
  summary.phases += run.phases;
  summary.total_s += run.total_s;
  summary.interrupted = run.interrupted;
}

}  // namespace

RunSummary run_experiment(const Experiment& experiment, Team& team, ResultStore& store,
                          const RunRecord& environment, const PipelineOptions& options, Progress& progress) {
  RunRecord record = describe_experiment(environment, experiment, team.tools());
  record.seed = static_cast<std::int64_t>(options.seed);
  record.shard = to_string(options.shard);
  // A filtered run, or a shard, replaces what it measures; only a whole one replaces everything.
  record.fresh = options.fresh && options.filter.empty() && options.only.empty() && options.shard.is_whole();
  store_what_reports_need(experiment, store);
  RunSummary summary = Pipeline(experiment, team, store, options, progress).run(record);
  if (team.size() > 1 && options.only.empty() && summary.to_measure > 0 && !summary.interrupted)
    measure_leaders_again(experiment, team, store, environment, options, progress, summary);
  return summary;
}

RunSummary run_experiment(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                          const RunRecord& environment, const PipelineOptions& options, Progress& progress) {
  Team team(measurer);
  return run_experiment(experiment, team, store, environment, options, progress);
}

}  // namespace tailwave
