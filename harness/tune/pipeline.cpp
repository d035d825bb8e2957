#include "tune/pipeline.h"

#include <algorithm>
#include <chrono>
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
        settings_(options.measure.value_or(experiment.measure)),
        tools_(bench.tools),
        reference_(bench.reference),
        store_(store),
        options_(options),
        progress_(progress),
        maker_(experiment, settings_, bench, store, options.stop_requested),
        random_(options.seed) {}

  RunSummary run(const RunRecord& record) {
    const Clock::time_point start = Clock::now();
    pending_ = options_.only.empty() ? find_pending() : pending_of(options_.only);
    shuffle(pending_, random_);
    summary_.run = store_.begin_run(record, tools_.device->description(), plan_);
    try {
      start_builds();
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
    summary_.weak_reference = reference_.take_weakness();
    summary_.total_s = seconds_since(start);
    store_.set_phases(summary_.run, summary_.phases, summary_.total_s);
    store_.finish_run(summary_.run, summary_.interrupted ? RunStatus::interrupted : RunStatus::done,
                      utc_now());
    return summary_;
  }

 private:
  Pending pending_of(const Configuration& configuration, const std::string& reference) const {
    return {configuration,
            maker_.key_of(settings_, configuration, maker_.build_key(configuration), reference)};
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
    const bool on_cpu = tools_.device->description().kind == DeviceKind::cpu;
    Selection selection = select_from(experiment_, on_cpu, options_.filter);
    std::map<std::string, std::int64_t> finished;
    if (!options_.fresh) {
      finished = store_.finished_trials(experiment_.name, tools_.device->description(),
                                        experiment_.system.name, experiment_.measure.build_deadline_s);
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

  // The reference is the first build, since nothing can be verified without it; then comes pending_[i - 1].
  void start_builds() {
    if (pending_.empty()) return;
    pool_.emplace(
        1 + pending_.size(), options_.build_processes,
        [this](std::size_t i) {
          return i == 0 ? maker_.build_reference() : maker_.build(pending_[i - 1].configuration);
        },
        settings_.build_deadline_s);
    maker_.prepare_for(pending_.front().configuration);
  }

  // The way of a run: whatever is built first is measured, group by group, and while the device works at one
  // configuration the results of the one before are compared and stored.
  void measure_all() {
    if (pending_.empty()) return;
    pool_->take(0, options_.stop_requested);
    for (std::size_t left = pending_.size(); left > 0 && !maker_.stopped();) {
      const std::size_t size = std::min(left, kGroup);
      for (std::size_t i = 0; i < size && !maker_.stopped(); ++i) begin(group_.emplace_back(next_built()));
      finish_all();
      for (int block = 1; block < settings_.repetitions && !maker_.stopped(); ++block) measure_again();
      if (!maker_.stopped()) store_group();
      left -= size;
      if (settings_.repetitions == 1 && size == kGroup) maker_.measure_drift(summary_.run);
    }
    if (pending_.size() > 1) maker_.measure_drift(summary_.run);
  }

  Candidate next_built() {
    for (;;) {
      if (auto built = pool_->take_any(0, options_.stop_requested))
        return maker_.prepare(pending_[built->first - 1], std::move(built->second));
      if (maker_.answer_is_there())
        finish_oldest();
      else
        maker_.wait(*pool_);
    }
  }

  void begin(Candidate& candidate) {
    while (!maker_.ready_for(candidate)) finish_oldest();
    maker_.begin(candidate);
  }

  void finish_oldest() {
    const Candidate& candidate = maker_.finish();
    const auto turns = static_cast<double>(pending_.size()) * settings_.repetitions;
    progress_.advanced(static_cast<double>(++turns_) / turns);
    // With one repetition it waits for no others of its group.
    if (settings_.repetitions > 1) return;
    group_.remove_if([&](const Candidate& one) { return &one == &candidate && (store(one), true); });
  }

  void finish_all() {
    while (!maker_.is_idle()) finish_oldest();
  }

  // A block after the first.
  void measure_again() {
    std::vector<Candidate*> order;
    for (Candidate& candidate : group_) order.push_back(&candidate);
    shuffle(order, random_);
    maker_.measure_drift(summary_.run);
    for (Candidate* candidate : order) {
      if (maker_.stopped()) break;
      begin(*candidate);
    }
    finish_all();
  }

  void store_group() {
    for (; !group_.empty(); group_.pop_front()) store(group_.front());
  }

  void store(const Candidate& candidate) {
    maker_.store(summary_.run, candidate);
    ++summary_.outcomes[candidate.trial.outcome];
    progress_.finished(candidate.trial, ++done_, pending_.size());
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
  std::vector<Pending> pending_;
  std::optional<CompilePool> pool_;
  std::list<Candidate> group_;  // measured or being measured, not stored
  std::size_t done_ = 0;        // configurations
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
