#include "tune/pipeline.h"

#include <fmt/format.h>

#include <chrono>
#include <regex>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/random.h"
#include "tune/candidate.h"
#include "tune/compile_pool.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

bool is_host(const Experiment& experiment, const Configuration& configuration) {
  return experiment.system.find_variant(configuration.variant)->target == VariantSpec::Target::host;
}

std::regex parse_filter(const std::string& text) try {
  return std::regex(text);
} catch (const std::regex_error&) {
  throw Error("--filter: '" + text + "' is not a regular expression", Error::kBadUsage);
}

// Fisher and Yates' shuffle, with the same result from the same seed everywhere (std::shuffle is not).
template <class T>
void shuffle(std::vector<T>& items, Generator& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

class Pipeline {
 public:
  Pipeline(const Experiment& experiment, const Toolchain& tools, ResultStore& store,
           const PipelineOptions& options, Progress& progress)
      : experiment_(experiment),
        tools_(tools),
        store_(store),
        options_(options),
        progress_(progress),
        reference_(*tools.host, *tools.reference_device),
        measurer_(*tools.device, reference_),
        host_measurer_(*tools.host_device, reference_),
        random_(options.seed) {}

  RunSummary run(const RunRecord& record) {
    const Clock::time_point start = Clock::now();
    for (Executor* executor : {tools_.device, tools_.host_device})
      executor->set_deadline_s(experiment_.measure.deadline_s);
    std::vector<Pending> pending = find_pending();
    shuffle(pending, random_);
    summary_.run = store_.begin_run(record, device_record(tools_.device->description()), plan_);
    try {
      measure_all(pending);
    } catch (const Cancelled&) {
      summary_.interrupted = true;
    } catch (...) {
      store_.give_up_run(summary_.run, utc_now());
      throw;
    }
    add_up_phases();
    summary_.total_s = std::chrono::duration<double>(Clock::now() - start).count();
    store_.set_phases(summary_.run, summary_.phases, summary_.total_s);
    store_.finish_run(summary_.run, summary_.interrupted ? "interrupted" : "done", utc_now());
    return summary_;
  }

 private:
  Executor& executor_of(const Configuration& configuration) const {
    return is_host(experiment_, configuration) ? *tools_.host_device : *tools_.device;
  }

  BuildRequest reference_request() const {
    const System& system = experiment_.system;
    const VariantSpec* variant = system.find_variant(system.reference.variant);
    return {&system, variant, default_configuration(system, *variant, {})};
  }

  // Leaves it in the artifact cache, where the first verification looks.
  Built build_reference() const {
    try {
      tools_.host->build(reference_request());
    } catch (const Failure&) {
      // The first verification meets it again, and says what is wrong.
    }
    return {};
  }

  // A configuration that has no build key (an option without a value) is known by its failure, which its build
  // will meet again.
  std::string build_key(const Configuration& configuration) const {
    Compiler& compiler = is_host(experiment_, configuration) ? *tools_.host : *tools_.kernels;
    const VariantSpec* variant = experiment_.system.find_variant(configuration.variant);
    try {
      return compiler.key({&experiment_.system, variant, configuration});
    } catch (const Failure& failure) {
      return content_hash(failure.what());
    }
  }

  std::string key_of(const Configuration& configuration, const std::string& reference) const {
    return trial_key(build_key(configuration), reference, experiment_, configuration,
                     executor_of(configuration).description(),
                     tools_.occupancy_device ? tools_.occupancy_device->name : "");
  }

  std::vector<Pending> find_pending() {
    const bool on_cpu = tools_.device->description().kind == "cpu";
    Enumeration all = enumerate(experiment_, on_cpu);
    std::set<std::string> finished;
    if (!options_.fresh) {
      finished = store_.finished_keys(experiment_.name, device_record(tools_.device->description()),
                                      experiment_.system.name);
    }
    const std::regex filter = parse_filter(options_.filter);
    const std::string reference = tools_.host->key(reference_request());
    std::vector<Pending> pending;
    plan_ = all.configurations;
    for (Configuration& configuration : all.configurations) {
      if (!options_.filter.empty() && !std::regex_search(configuration.name(), filter)) continue;
      std::string key = key_of(configuration, reference);
      if (finished.contains(key)) {
        ++summary_.reused;
      } else {
        pending.push_back({std::move(configuration), std::move(key)});
      }
    }
    if (pending.empty() && summary_.reused == 0 && !options_.filter.empty()) {
      throw Error(Diagnostic{.cause = "--filter '" + options_.filter + "' matches none of " +
                                      std::to_string(all.configurations.size()) + " configurations",
                             .hint = "their names look like " + plan_.at(0).name()});
    }
    summary_.left_out = all.left_out_on_cpu;
    progress_.started(pending.size(), summary_.reused, summary_.left_out);
    return pending;
  }

  void measure_all(const std::vector<Pending>& pending) {
    if (pending.empty()) return;
    const Compilers compilers{tools_.kernels, tools_.host, tools_.planner};
    // The reference is the first build, since nothing can be verified without it; then comes pending[i - 1].
    CompilePool pool(1 + pending.size(), options_.build_processes, [&](std::size_t i) {
      return i == 0 ? build_reference()
                    : build_configuration(experiment_.system, pending[i - 1].configuration, compilers);
    });
    pool.take(0, waiting());
    to_do_ = pending.size();
    // With one repetition nothing waits for the others of its group.
    const std::size_t most = experiment_.measure.repetitions > 1 ? kGroup : 1;
    for (std::size_t begin = 0; begin < pending.size() && !stopped(); begin += most) {
      std::vector<Candidate> group;
      for (std::size_t i = begin; i < std::min(begin + most, pending.size()) && !stopped(); ++i) {
        group.push_back(prepare(pending[i], pool.take(1 + i, waiting())));
        take_turn(group.back(), 0);
        advance();
      }
      measure_again(group);
      if (!stopped()) store(group);
      if (most == 1 && begin % kGroup == kGroup - 1) measure_drift();
    }
    if (pending.size() > 1) measure_drift();
  }

  // take() polls it while it waits.
  std::function<bool()> waiting() {
    return [this, start = Clock::now()]() mutable {
      const Clock::time_point now = Clock::now();
      summary_.phases.wait += std::chrono::duration<double>(now - std::exchange(start, now)).count();
      return options_.stop_requested();
    };
  }

  bool stopped() {
    summary_.interrupted = summary_.interrupted || options_.stop_requested();
    return summary_.interrupted;
  }

  Candidate prepare(const Pending& pending, Built built) {
    Candidate candidate;
    candidate.pending = &pending;
    if (!built.artifact) {
      candidate.trial.configuration = pending.configuration;
      candidate.trial.outcome = built.outcome;
      candidate.trial.detail = std::move(built.detail);
    } else {
      candidate.job = Job{.experiment = &experiment_,
                          .configuration = pending.configuration,
                          .artifact = std::move(*built.artifact),
                          .resources = std::move(built.resources),
                          .occupancy_device = tools_.occupancy_device};
      candidate.trial = new_trial(*candidate.job);
      skip_if_identical(candidate);
    }
    candidate.trial.key = pending.key;
    return candidate;
  }

  void skip_if_identical(Candidate& candidate) {
    std::string identity;
    try {
      identity = work_identity(*candidate.job);
    } catch (const std::exception&) {
      return;  // what cannot be evaluated fails with the right words when it is measured
    }
    if (identity.empty()) return;
    const auto [known, is_new] = measured_.emplace(identity, candidate.pending->configuration.name());
    if (is_new) return;
    candidate.trial.outcome = Outcome::skipped_identical;
    candidate.trial.same_as = known->second;
    candidate.trial.detail = "the same machine code and launches as " + known->second;
  }

  void take_turn(Candidate& candidate, int repetition) {
    if (!candidate.alive()) return;
    Turn turn{.repetition = repetition,
              .first = repetition == 0,
              .last = repetition == experiment_.measure.repetitions - 1,
              .first_sequence = sequence_};
    double& best_ns = best_ns_[peers_of(candidate.pending->configuration)];
    if (experiment_.measure.race > 0 && best_ns > 0)
      turn.race_to_ns = best_ns * (1 + experiment_.measure.race);
    const std::size_t samples_before = candidate.trial.samples.size();
    measurer_of(candidate.pending->configuration).take_turn(*candidate.job, candidate.trial, turn);
    if (!candidate.alive()) return;
    sequence_ += static_cast<std::int64_t>(candidate.trial.samples.size() - samples_before);
    const double time_ns = median_ns(candidate.trial);
    if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
    // Better one that runs where the others do.
    const bool here = !is_host(experiment_, candidate.pending->configuration);
    if (!drift_job_ || (here && is_host(experiment_, drift_job_->configuration))) drift_job_ = candidate.job;
  }

  void advance() {
    const auto turns = static_cast<double>(to_do_) * experiment_.measure.repetitions;
    progress_.advanced(static_cast<double>(++turns_) / turns);
  }

  // Configurations with the same answer here are alternatives: the same problem on the same kind of device.
  std::string peers_of(const Configuration& configuration) const {
    return Configuration{
        configuration.system, is_host(experiment_, configuration) ? "host" : "", {}, configuration.problem}
        .name();
  }

  // The blocks after the first.
  void measure_again(std::vector<Candidate>& group) {
    std::vector<Candidate*> order;
    for (Candidate& candidate : group) order.push_back(&candidate);
    for (int repetition = 1; repetition < experiment_.measure.repetitions; ++repetition) {
      shuffle(order, random_);
      measure_drift();
      for (Candidate* candidate : order) {
        if (stopped()) return;
        take_turn(*candidate, repetition);
        advance();
      }
    }
  }

  // Its failure would say nothing new, and must not end the run.
  void measure_drift() {
    if (!drift_job_ || stopped()) return;
    Trial trial = new_trial(*drift_job_);
    trial.launches = {};
    measurer_of(drift_job_->configuration)
        .take_turn(*drift_job_, trial, {.first = false, .last = false, .first_sequence = sequence_});
    sequence_ += static_cast<std::int64_t>(trial.samples.size());
    store_.add_drift(summary_.run, drift_job_->configuration, drift_block_++, trial.samples);
  }

  void store(std::vector<Candidate>& group) {
    const Clock::time_point start = Clock::now();
    for (Candidate& candidate : group) {
      // What a stop request cut short says nothing of the configuration.
      if (!candidate.alive() && stopped()) return;
      store_.add_trial(summary_.run,
                       device_record(executor_of(candidate.pending->configuration).description()),
                       candidate.trial);
      ++summary_.outcomes[candidate.trial.outcome];
      progress_.finished(candidate.trial, ++done_, to_do_);
    }
    summary_.phases.store += std::chrono::duration<double>(Clock::now() - start).count();
  }

  Measurer& measurer_of(const Configuration& configuration) {
    return is_host(experiment_, configuration) ? host_measurer_ : measurer_;
  }

  void add_up_phases() {
    for (const Measurer* measurer : {&measurer_, &host_measurer_}) {
      summary_.phases.load += measurer->phases().load;
      summary_.phases.verify += measurer->phases().verify;
      summary_.phases.measure += measurer->phases().measure;
    }
  }

  const Experiment& experiment_;
  const Toolchain& tools_;
  ResultStore& store_;
  const PipelineOptions& options_;
  Progress& progress_;
  ReferenceProvider reference_;
  Measurer measurer_, host_measurer_;
  Generator random_;
  RunSummary summary_;
  std::vector<Configuration> plan_;              // all that the experiment has
  std::map<std::string, std::string> measured_;  // work_identity -> the configuration that was measured
  std::optional<Job> drift_job_;
  int drift_block_ = 0;
  std::int64_t sequence_ = 0;
  std::map<std::string, double> best_ns_;  // by peers_of()
  std::size_t to_do_ = 0, done_ = 0;       // configurations
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

RunSummary run_experiment(const Experiment& experiment, const Toolchain& tools, ResultStore& store,
                          RunRecord environment, const PipelineOptions& options, Progress& progress) {
  environment.experiment = experiment.name;
  environment.system = experiment.system.name;
  environment.question = experiment.question;
  environment.metric = experiment.metric.name;
  environment.maximise = experiment.metric.maximise;
  environment.spec_file = experiment.file.string();
  environment.spec_text = experiment.text;
  environment.spec_hash = content_hash(experiment.text);
  // A filtered run replaces what it measures; only a whole one replaces everything.
  environment.seed = static_cast<std::int64_t>(options.seed);
  environment.fresh = options.fresh && options.filter.empty();
  if (tools.occupancy_device) environment.occupancy_device = tools.occupancy_device->name;
  store.set_published(experiment.name, published_values(experiment), experiment.system.name);
  return Pipeline(experiment, tools, store, options, progress).run(environment);
}

}  // namespace tailwave
