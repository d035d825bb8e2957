#include "tune/pipeline.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "spec/select.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"
#include "tune/trial_maker.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

class Pipeline {
 public:
  Pipeline(const Experiment& experiment, Workbench& bench, ResultStore& store, const PipelineOptions& options,
           Progress& progress)
      : experiment_(experiment),
        tools_(bench.tools),
        reference_(bench.reference),
        store_(store),
        options_(options),
        progress_(progress),
        maker_(experiment, bench, store, options.stop_requested),
        random_(options.seed) {}

  RunSummary run(const RunRecord& record) {
    const Clock::time_point start = Clock::now();
    std::vector<Pending> pending = options_.only.empty() ? find_pending() : pending_of(options_.only);
    shuffle(pending, random_);
    start_builds(pending);
    summary_.run = store_.begin_run(record, device_record(tools_.device->description()), plan_);
    try {
      try {
        measure_all(pending);
      } catch (const Cancelled&) {
        summary_.interrupted = true;
      }
      maker_.settle();
    } catch (...) {
      settle_if_possible();
      store_.give_up_run(summary_.run, utc_now());
      throw;
    }
    summary_.interrupted = summary_.interrupted || maker_.stopped();
    summary_.phases = maker_.phases();
    summary_.weak_reference = reference_.take_weakness();
    summary_.total_s = seconds_since(start);
    store_.set_phases(summary_.run, summary_.phases, summary_.total_s);
    store_.finish_run(summary_.run, summary_.interrupted ? "interrupted" : "done", utc_now());
    return summary_;
  }

 private:
  Pending pending_of(const Configuration& configuration, const std::string& reference) const {
    return {configuration,
            maker_.key_of(experiment_, configuration, maker_.build_key(configuration), reference)};
  }

  std::vector<Pending> pending_of(const std::vector<Configuration>& configurations) {
    const std::string reference = maker_.reference_key();
    std::vector<Pending> pending;
    for (const Configuration& configuration : configurations)
      pending.push_back(pending_of(configuration, reference));
    progress_.started(pending.size(), 0, 0);
    return pending;
  }

  std::vector<Pending> find_pending() {
    const bool on_cpu = tools_.device->description().kind == "cpu";
    Selection selection = select_from(experiment_, on_cpu, options_.filter);
    std::map<std::string, std::int64_t> finished;
    if (!options_.fresh) {
      finished = store_.finished_trials(experiment_.name, device_record(tools_.device->description()),
                                        experiment_.system.name);
    }
    const std::string reference = maker_.reference_key();
    std::vector<Pending> pending;
    for (const Configuration& configuration : selection.chosen(options_.filter)) {
      Pending one = pending_of(configuration, reference);
      if (const auto known = finished.find(one.key); known != finished.end()) {
        ++summary_.reused;
        reused_.emplace_back(configuration, known->second);
      } else {
        pending.push_back(std::move(one));
      }
    }
    if (!pending.empty()) remember_reused();
    summary_.left_out = selection.left_out_on_cpu;
    plan_ = std::move(selection.all);
    progress_.started(pending.size(), summary_.reused, summary_.left_out);
    return pending;
  }

  void remember_reused() {
    for (const auto& [configuration, trial] : reused_) {
      const std::string same_as = store_.result_of(trial).same_as;
      maker_.remember(configuration, trial, same_as.empty() ? configuration.name() : same_as);
    }
  }

  // The reference is the first build, since nothing can be verified without it; then comes pending[i - 1].
  void start_builds(const std::vector<Pending>& pending) {
    if (pending.empty()) return;
    pool_.emplace(1 + pending.size(), options_.build_processes, [&](std::size_t i) {
      return i == 0 ? maker_.build_reference() : maker_.build(pending[i - 1].configuration);
    });
  }

  void measure_all(const std::vector<Pending>& pending) {
    if (pending.empty()) return;
    pool_->take(0, maker_.waiting());
    to_do_ = pending.size();
    const bool once = experiment_.measure.repetitions == 1;
    for (std::size_t i = 0; i < pending.size() && !maker_.stopped(); ++i) {
      if (next_failed_) std::rethrow_exception(next_failed_);
      if (next_) {
        group_.push_back(*std::exchange(next_, std::nullopt));
      } else {
        group_.push_back(maker_.prepare(pending[i], pool_->take(1 + i, maker_.waiting())));
      }
      // With one repetition it waits for no others of its group.
      maker_.take_turn(group_.back(), 0,
                       {.meanwhile = [this, &pending, i] { prepare_if_built(pending, i + 1); },
                        .then = once ? [this] { store_first(); } : std::function<void()>()});
      advance();
      const bool is_last_of_group = i % kGroup == kGroup - 1;
      if (once && is_last_of_group) maker_.measure_drift(summary_.run);
      if (!once && (is_last_of_group || i + 1 == pending.size())) finish_group();
    }
    if (pending.size() > 1) maker_.measure_drift(summary_.run);
  }

  // What it throws ends the run when the one at hand is done.
  void prepare_if_built(const std::vector<Pending>& pending, std::size_t i) noexcept {
    try {
      if (i >= pending.size()) return;
      if (std::optional<Built> built = pool_->take_if_there(1 + i))
        next_ = maker_.prepare(pending[i], *std::move(built));
    } catch (...) {
      next_failed_ = std::current_exception();
    }
  }

  void finish_group() {
    measure_again();
    maker_.settle();
    while (!group_.empty() && !maker_.stopped()) store_first();
  }

  // What is measured is not lost because something else went wrong.
  void settle_if_possible() noexcept {
    try {
      maker_.settle();
    } catch (const std::exception&) {
      return;  // what went wrong first is what is told
    }
  }

  void advance() {
    const auto turns = static_cast<double>(to_do_) * experiment_.measure.repetitions;
    progress_.advanced(static_cast<double>(++turns_) / turns);
  }

  // The blocks after the first.
  void measure_again() {
    std::vector<Candidate*> order;
    for (Candidate& candidate : group_) order.push_back(&candidate);
    for (int repetition = 1; repetition < experiment_.measure.repetitions; ++repetition) {
      shuffle(order, random_);
      maker_.measure_drift(summary_.run);
      for (Candidate* candidate : order) {
        if (maker_.stopped()) return;
        maker_.take_turn(*candidate, repetition);
        advance();
      }
    }
  }

  void store_first() {
    const Candidate candidate = std::move(group_.front());
    group_.pop_front();
    if (!maker_.store(summary_.run, candidate)) return;
    ++summary_.outcomes[candidate.trial.outcome];
    progress_.finished(candidate.trial, ++done_, to_do_);
  }

  const Experiment& experiment_;
  const Toolchain& tools_;
  ReferenceProvider& reference_;
  ResultStore& store_;
  const PipelineOptions& options_;
  Progress& progress_;
  TrialMaker maker_;
  Generator random_;
  RunSummary summary_;
  std::vector<Configuration> plan_;                             // all that the experiment has
  std::vector<std::pair<Configuration, std::int64_t>> reused_;  // with their trials
  std::optional<CompilePool> pool_;                             // outlives what is put off
  std::optional<Candidate> next_;                               // of group_, prepared while the device worked
  std::exception_ptr next_failed_;
  std::list<Candidate> group_;        // measured or being measured, not stored
  std::size_t to_do_ = 0, done_ = 0;  // configurations
  std::size_t turns_ = 0;
};

}  // namespace

std::vector<PublishedValue> published_values(const Experiment& experiment) {
  std::vector<PublishedValue> values;
  if (!experiment.published) return values;
  const Published& published = *experiment.published;
  for (const PublishedRow& row : published.rows) {
    values.push_back({.experiment = experiment.name,
                      .study = published.study,
                      .device = published.device,
                      .quantity = published.quantity,
                      .unit = published.unit,
                      .variant = row.variant,
                      .parameters = row.parameters,
                      .value = row.value * published.unit_factor,
                      .invalid = row.invalid,
                      .note = row.note});
  }
  return values;
}

std::map<std::string, std::vector<std::string>> main_kernels(const System& system) {
  std::map<std::string, std::vector<std::string>> kernels;
  for (const VariantSpec& variant : system.variants) kernels[variant.name] = variant.main;
  return kernels;
}

RunRecord describe_experiment(RunRecord environment, const Experiment& experiment, const Toolchain& tools) {
  environment.experiment = experiment.name;
  environment.system = experiment.system.name;
  environment.question = experiment.question;
  environment.metric = experiment.metric.name;
  environment.maximise = experiment.metric.maximise;
  environment.spec_file = experiment.file.string();
  environment.spec_text = experiment.text;
  environment.spec_hash = content_hash(experiment.text);
  if (tools.occupancy_device) environment.occupancy_device = tools.occupancy_device->name;
  return environment;
}

RunSummary run_experiment(const Experiment& experiment, Workbench& bench, ResultStore& store,
                          const RunRecord& environment, const PipelineOptions& options, Progress& progress) {
  RunRecord record = describe_experiment(environment, experiment, bench.tools);
  record.seed = static_cast<std::int64_t>(options.seed);
  // A filtered run replaces what it measures; only a whole one replaces everything.
  record.fresh = options.fresh && options.filter.empty() && options.only.empty();
  store.set_published(experiment.name, published_values(experiment), experiment.system.name);
  store.set_main_kernels(experiment.system.name, main_kernels(experiment.system));
  return Pipeline(experiment, bench, store, options, progress).run(record);
}

}  // namespace tailwave
