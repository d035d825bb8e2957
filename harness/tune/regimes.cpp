#include "tune/regimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "core/bootstrap.h"
#include "core/hash.h"
#include "core/program_identity.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "spec/fill_reader.h"
#include "spec/system_fields.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"
#include "tune/kept_turns.h"
#include "tune/trial_maker.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

// As the experiment says, but for the regime; as many samples as an interval takes, in blocks.
MeasureSettings settings_in(const Regime& regime, MeasureSettings settings) {
  settings.mode = regime.mode;
  settings.cache = regime.cache;
  settings.race = 0;
  settings.repetitions = std::max(settings.repetitions, static_cast<int>(kFewestRepetitions));
  const int fewest = (static_cast<int>(kFewestSamples) - 1) / settings.repetitions + 1;
  settings.samples = std::max(settings.samples, fewest);
  settings.max_samples = std::max(settings.max_samples, settings.samples);
  return settings;
}

RegimeRecord record_of(const Regime& regime, std::size_t position, const MeasureSettings& own) {
  RegimeRecord record{.position = static_cast<int>(position),
                      .name = regime.name,
                      .mode = regime.mode,
                      .cache = regime.cache,
                      .fills = {},
                      .own = is_alike(regime, own_regime(own))};
  for (const auto& [buffer, fill] : regime.fills) record.fills[buffer] = describe(fill);
  return record;
}

struct OfProblem {
  const ProblemFinalists* chosen = nullptr;
  std::vector<Candidate> finalists;  // to do, then built
};

class RegimeRun {
 public:
  RegimeRun(const Experiment& experiment, Measurer& measurer, ResultStore& store,
            const RegimeOptions& options, Progress& progress)
      : experiment_(experiment),
        regimes_(with_own_regime(options.regimes, experiment.measure)),
        store_(store),
        options_(options),
        progress_(progress),
        team_(measurer),
        maker_(experiment, experiment.measure, team_, store, options.stop_requested) {
    for (const Regime& regime : regimes_) settings_.push_back(settings_in(regime, experiment.measure));
  }

  RegimeSummary run(const RunRecord& record) {
    const Clock::time_point start = Clock::now();
    const DeviceDescription device = team_.tools().device->description();
    const std::string &system = experiment_.system.name, &name = experiment_.name;
    summary_.problems = choose_finalists(experiment_, ranked_trials(store_.database(), system, name, device),
                                         names_of_identical(store_.database(), system, name, device),
                                         options_.most_finalists);
    find_what_is_to_do();
    if (to_do_.empty()) return std::move(summary_);
    std::vector<RegimeRecord> records;
    for (std::size_t i = 0; i < regimes_.size(); ++i)
      records.push_back(record_of(regimes_[i], i, experiment_.measure));
    if (!options_.fresh) unfinished_ = store_.unfinished_trials(program_identity());
    summary_.run = store_.begin_run(record, device, {}, records);
    try {
      measure_all();
    } catch (const Cancelled&) {
      summary_.interrupted = true;
    } catch (...) {
      store_.give_up_run(*summary_.run, utc_now());
      throw;
    }
    summary_.interrupted = summary_.interrupted || maker_.stopped();
    summary_.phases += maker_.phases();
    summary_.total_s = seconds_since(start);
    store_.set_phases(*summary_.run, summary_.phases, summary_.total_s);
    store_.finish_run(*summary_.run, summary_.interrupted ? RunStatus::interrupted : RunStatus::done,
                      utc_now());
    return std::move(summary_);
  }

 private:
  // A finalist in a regime.
  struct Pair {
    std::size_t regime = 0;
    Candidate candidate;
  };

  void find_what_is_to_do() {
    for (const ProblemFinalists& problem : summary_.problems) {
      if (problem.finalists.size() < 2) continue;
      OfProblem one{.chosen = &problem, .finalists = {}};
      for (const Finalist& finalist : problem.finalists)
        one.finalists.push_back(maker_.to_do(finalist.configuration, "", count_++));
      if (is_known(one))
        ++summary_.reused;
      else
        to_do_.push_back(std::move(one));
    }
  }

  // Whether the latest run in regimes measured the same, and nothing of it was ended from outside.
  bool is_known(const OfProblem& problem) {
    if (options_.fresh) return false;
    const auto stored = latest_regimes(store_.database(), experiment_.system.name, experiment_.name,
                                       team_.tools().device->description(), problem.chosen->problem);
    if (!stored) return false;
    const TrialKeys keys = maker_.keys();
    std::set<std::string> wanted, found;
    for (const Candidate& finalist : problem.finalists) {
      const std::string build_key = keys.build_key(finalist.configuration());
      for (std::size_t i = 0; i < regimes_.size(); ++i)
        wanted.insert(key_of(keys, finalist.configuration(), build_key, i));
    }
    for (const StoredRegimeTrial& trial : stored->trials)
      if (!was_killed_from_outside(trial.outcome, trial.detail)) found.insert(trial.key);
    return wanted == found;
  }

  // What an ordinary trial with these settings would have, and the regime: so none is taken for the other.
  [[nodiscard]] std::string key_of(const TrialKeys& keys, const Configuration& configuration,
                                   const std::string& build_key, std::size_t regime) const {
    FieldHasher hasher;
    hasher.add("regime").add(regimes_[regime].name);
    hasher.add(keys.key(configuration, build_key, settings_[regime]));
    if (regimes_[regime].system) add_buffers(hasher, *regimes_[regime].system);
    return hasher.digest();
  }

  void measure_all() {
    std::vector<Candidate*> all;
    for (OfProblem& problem : to_do_)
      for (Candidate& finalist : problem.finalists) all.push_back(&finalist);
    progress_.regimes_started(all.size(), regimes_.size());
    build(all);
    std::size_t pairs = 0;
    for (const OfProblem& problem : to_do_) pairs += problem.finalists.size() * regimes_.size();
    all_turns_ = static_cast<double>(pairs * static_cast<std::size_t>(settings_.front().repetitions));
    all_pairs_ = pairs;
    progress_.advanced(0);
    for (const OfProblem& problem : to_do_) {
      if (maker_.stopped()) return;
      if (problem.finalists.size() > 1 && !is_known(problem)) measure(problem);
    }
  }

  void build(const std::vector<Candidate*>& all) {
    constexpr std::size_t kReference = 0;
    const Stopwatch waiting(summary_.phases.wait);
    CompilePool pool(
        1 + all.size(), options_.build_processes,
        [&](std::size_t i) {
          return i == kReference ? maker_.build_reference() : maker_.build(all[i - 1]->configuration());
        },
        experiment_.measure.build_deadline_s);
    team_.prepare(experiment_.system, all.front()->configuration());
    pool.take(kReference, options_.stop_requested);
    for (std::size_t i = 0; i < all.size(); ++i)
      maker_.take(*all[i], pool.take(i + 1, options_.stop_requested));
    // Two finalists of earlier runs may have become the same.
    const auto is_same = [](const Candidate& one) { return one.trial.outcome == Outcome::skipped_identical; };
    for (OfProblem& problem : to_do_) std::erase_if(problem.finalists, is_same);
  }

  // The way of a problem: every pair has a turn in each block, and all are stored together.
  void measure(const OfProblem& problem) {
    std::vector<Pair> pairs = pairs_of(problem);
    const int repetitions = settings_.front().repetitions;
    Generator random(split_mix(options_.seed + kGoldenGamma * (1 + problem.finalists.front().number)));
    for (int block = 0; block < repetitions; ++block) {
      std::vector<Pair*> order;
      for (Pair& pair : pairs) order.push_back(&pair);
      shuffle(order, random);  // also for what was measured already, so that the next block is the same
      for (Pair* const pair : order) {
        if (maker_.stopped()) break;
        if (is_alive(*pair) && pair->candidate.begun <= block) begin(*pair, pairs);
      }
      while (!team_.is_idle()) finish_oldest(pairs);
      if (maker_.stopped()) return;
    }
    store(problem, pairs);
  }

  static bool is_alive(const Pair& pair) { return pair.candidate.is_alive(); }

  std::vector<Pair> pairs_of(const OfProblem& problem) {
    std::vector<Pair> pairs;
    const TrialKeys keys = maker_.keys();
    for (const Candidate& finalist : problem.finalists) {
      const std::string build_key = keys.build_key(finalist.configuration());
      for (std::size_t i = 0; i < regimes_.size(); ++i) {
        const System* const system = regimes_[i].system ? regimes_[i].system.get() : &experiment_.system;
        Pair& pair = pairs.emplace_back(Pair{.regime = i, .candidate = finalist});
        Candidate& candidate = pair.candidate;
        candidate.system = system;
        candidate.settings = &settings_[i];
        candidate.number = pairs.size() - 1;
        candidate.repetitions = settings_[i].repetitions;
        candidate.trial.regime = regimes_[i].name;
        candidate.trial.key = key_of(keys, finalist.configuration(), build_key, i);
        if (candidate.is_alive()) refuse_what_has_no_meaning(pair);
        if (candidate.is_alive()) resume(candidate);
        count_turns(candidate);
      }
    }
    return pairs;
  }

  void refuse_what_has_no_meaning(Pair& pair) const {
    Candidate& candidate = pair.candidate;
    if (regimes_[pair.regime].mode != TimingMode::graph) return;
    const VariantSpec& variant = candidate.variant();
    if (has_until(variant.launches))
      candidate.fail(
          Outcome::launch_failed,
          "a loop with 'until' cannot be a graph: the host looks at a value after every iteration");
    else if (team_.tools().worker_of(variant).description().kind == DeviceKind::cpu)
      candidate.fail(Outcome::launch_failed, "the CPU has no graphs: 'batched' is the same there");
  }

  void resume(Candidate& candidate) {
    if (!resume_turns(candidate, unfinished_)) return;
    for (const Sample& sample : candidate.trial.samples) sequence_ = std::max(sequence_, sample.sequence + 1);
  }

  void begin(Pair& pair, std::vector<Pair>& pairs) {
    while (!team_.has_room_for(pair.candidate)) finish_oldest(pairs);
    const bool has_own_inputs = regimes_[pair.regime].system != nullptr;
    if (!has_own_inputs) return team_.begin(pair.candidate);
    try {
      team_.begin(pair.candidate);
    } catch (const Error& error) {
      // The reference ends a run that has no other inputs; here it is what this regime comes to.
      pair.candidate.fail(Outcome::wrong_result,
                          fmt::format("with these inputs nothing can be verified: {}", error.what()));
      count_turns(pair.candidate);
    }
  }

  void finish_oldest(std::vector<Pair>& pairs) {
    Candidate candidate = team_.finish();
    for (Sample& sample : candidate.trial.samples)
      if (sample.repetition == candidate.begun - 1) sample.sequence = sequence_++;
    Pair& pair = pairs.at(candidate.number);
    pair.candidate = std::move(candidate);
    if (is_alive(pair)) keep_turns(store_, *summary_.run, pair.candidate);
    count_turns(pair.candidate);
  }

  // Those that have been, and those that there will not be.
  void count_turns(const Candidate& candidate) {
    int& counted = turns_of_[candidate.trial.key];
    const bool is_over = !candidate.is_alive() || candidate.begun == candidate.repetitions;
    const int turns = is_over ? candidate.repetitions : candidate.begun;
    const bool is_new = is_over && counted < candidate.repetitions;
    turns_ += turns - counted;
    counted = turns;
    if (turns_ > 0) progress_.advanced(turns_ / all_turns_);
    if (!is_new) return;
    ++summary_.outcomes[candidate.trial.outcome];
    progress_.finished(candidate.trial, ++done_, all_pairs_);
  }

  void store(const OfProblem& problem, const std::vector<Pair>& pairs) {
    const Stopwatch storing(summary_.phases.store);
    std::vector<Finalist> finalists;
    for (const Candidate& finalist : problem.finalists)
      finalists.push_back(
          *std::ranges::find(problem.chosen->finalists, finalist.configuration(), &Finalist::configuration));
    std::vector<Trial> trials;
    for (const Pair& pair : pairs) trials.push_back(pair.candidate.trial);
    const Tools& tools = team_.tools();
    add_finalists(store_.database(), *summary_.run,
                  tools.worker_of(problem.finalists.front().variant()).description(), finalists, trials);
    for (const Trial& trial : trials)
      if (const auto id = store_.trial_of(*summary_.run, trial.configuration, trial.regime))
        maker_.refresh(*id);
  }

  const Experiment& experiment_;
  const std::vector<Regime> regimes_;
  std::vector<MeasureSettings> settings_;  // in each
  ResultStore& store_;
  const RegimeOptions& options_;
  Progress& progress_;
  Team team_;  // of the measurer alone
  TrialMaker maker_;
  RegimeSummary summary_;
  std::vector<OfProblem> to_do_;
  std::map<std::string, UnfinishedTrial> unfinished_;
  std::size_t count_ = 0;                // finalists
  std::map<std::string, int> turns_of_;  // by key
  double turns_ = 0, all_turns_ = 1;
  std::size_t done_ = 0, all_pairs_ = 0;
  std::int64_t sequence_ = 0;
};

}  // namespace

RegimeSummary measure_regimes(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                              const RunRecord& environment, const RegimeOptions& options,
                              Progress& progress) {
  RunRecord record = describe_experiment(environment, experiment, measurer.tools());
  record.started_at = utc_now();
  record.seed = static_cast<std::int64_t>(options.seed);
  return RegimeRun(experiment, measurer, store, options, progress).run(record);
}

}  // namespace tailwave
