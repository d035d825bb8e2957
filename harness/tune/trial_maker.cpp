#include "tune/trial_maker.h"

#include <chrono>
#include <utility>

#include "core/hash.h"
#include "core/stopwatch.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

PhaseTimes phases_of(const Workbench& bench) {
  PhaseTimes sum;
  for (const Measurer* measurer : {&bench.measurer, &bench.host_measurer}) {
    sum.load += measurer->phases().load;
    sum.verify += measurer->phases().verify;
    sum.measure += measurer->phases().measure;
  }
  return sum;
}

}  // namespace

TrialMaker::TrialMaker(const Experiment& experiment, Workbench& bench, ResultStore& store,
                       const std::function<bool()>& stop_requested)
    : experiment_(experiment),
      bench_(bench),
      store_(store),
      stop_requested_(stop_requested),
      measurers_before_(phases_of(bench)) {
  for (Executor* executor : {bench_.tools.device, bench_.tools.host_device})
    executor->set_deadline_s(experiment_.measure.deadline_s);
}

TrialMaker::~TrialMaker() {
  bench_.backlog.clear();
}

bool TrialMaker::is_host(const Configuration& configuration) const {
  return experiment_.system.find_variant(configuration.variant)->target == VariantSpec::Target::host;
}

Executor& TrialMaker::executor_of(const Configuration& configuration) const {
  return is_host(configuration) ? *bench_.tools.host_device : *bench_.tools.device;
}

Measurer& TrialMaker::measurer_of(const Configuration& configuration) {
  return is_host(configuration) ? bench_.host_measurer : bench_.measurer;
}

// Configurations with the same answer here are alternatives: the same problem on the same kind of device.
std::string TrialMaker::peers_of(const Configuration& configuration) const {
  return Configuration{configuration.system, is_host(configuration) ? "host" : "", {}, configuration.problem}
      .name();
}

BuildRequest TrialMaker::reference_request() const {
  const System& system = experiment_.system;
  const VariantSpec* variant = system.find_variant(system.reference.variant);
  Values problem;
  for (const auto& [name, quantity] : system.problem) problem.emplace(name, quantity.default_value);
  return {&system, variant, default_configuration(system, *variant, problem),
          experiment_.measure.build_deadline_s};
}

Compiler& TrialMaker::reference_compiler() const {
  const Toolchain& tools = bench_.tools;
  const bool host = reference_request().variant->target == VariantSpec::Target::host;
  return host || tools.cpu_kernels == nullptr ? *tools.host : *tools.cpu_kernels;
}

Built TrialMaker::build(const Configuration& configuration) const {
  const Toolchain& tools = bench_.tools;
  return build_configuration(
      experiment_.system, configuration,
      {tools.kernels, tools.host, tools.planner, experiment_.measure.build_deadline_s});
}

Built TrialMaker::build_reference() const {
  try {
    reference_compiler().build(reference_request());
  } catch (const Failure&) {
    // The first verification meets it again, and says what is wrong.
  }
  return {};
}

std::string TrialMaker::build_key(const Configuration& configuration) const {
  Compiler& compiler = is_host(configuration) ? *bench_.tools.host : *bench_.tools.kernels;
  const VariantSpec* variant = experiment_.system.find_variant(configuration.variant);
  try {
    return compiler.key({&experiment_.system, variant, configuration});
  } catch (const Failure& failure) {
    return content_hash(failure.what());
  }
}

std::string TrialMaker::reference_key() const {
  return reference_compiler().key(reference_request());
}

std::string TrialMaker::key_of(const Experiment& experiment, const Configuration& configuration,
                               const std::string& build_key, const std::string& reference_key) const {
  const std::optional<DeviceSpec>& planned = bench_.tools.occupancy_device;
  return trial_key(build_key, reference_key, experiment, configuration,
                   executor_of(configuration).description(), planned ? planned->name : "");
}

Candidate TrialMaker::prepare(const Pending& pending, Built built) {
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
                        .occupancy_device = bench_.tools.occupancy_device};
    candidate.trial = new_trial(*candidate.job);
    skip_if_identical(candidate);
  }
  candidate.trial.key = pending.key;
  return candidate;
}

void TrialMaker::remember(const Configuration& configuration, std::int64_t trial,
                          const std::string& measured) {
  Job job{.experiment = &experiment_, .configuration = configuration};
  job.artifact.record.code_hash = store_.machine_code_of(trial);
  if (job.artifact.record.code_hash.empty()) return;
  try {
    measured_.emplace(work_identity(job), measured);
  } catch (const std::exception&) {
    // It has failed for the same reason.
  }
}

void TrialMaker::skip_if_identical(Candidate& candidate) {
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

void TrialMaker::settle() {
  bench_.backlog.finish();
}

void TrialMaker::forget() {
  bench_.backlog.clear();
}

void TrialMaker::take_turn(Candidate& candidate, int repetition, Work work) {
  const Values& problem = candidate.pending->configuration.problem;
  // What is done first for a new problem may take long.
  if (problem != problem_ || experiment_.measure.race > 0) settle();
  problem_ = problem;
  if (work.meanwhile) bench_.backlog.add(std::move(work.meanwhile));
  const std::size_t of_earlier_turns = bench_.backlog.added();
  const bool had_failed = repetition > 0 && !candidate.alive();
  if (candidate.alive()) measure(candidate, repetition);
  if (!candidate.alive() && !had_failed) candidate.cut_short = stopped();
  if (work.then) bench_.backlog.add(std::move(work.then));
  // One turn behind is enough; on the CPU such work would disturb the kernels.
  bench_.backlog.finish(measures_on_gpu(candidate) ? of_earlier_turns : bench_.backlog.added());
}

bool TrialMaker::measures_on_gpu(const Candidate& candidate) const {
  return executor_of(candidate.pending->configuration).description().kind == "cuda";
}

void TrialMaker::measure(Candidate& candidate, int repetition) {
  const Configuration& configuration = candidate.pending->configuration;
  Turn turn{.repetition = repetition,
            .first = repetition == 0,
            .last = repetition == experiment_.measure.repetitions - 1,
            .first_sequence = sequence_};
  const double best_ns = best_ns_[peers_of(configuration)];
  if (experiment_.measure.race > 0 && best_ns > 0) turn.race_to_ns = best_ns * (1 + experiment_.measure.race);
  const std::size_t samples_before = candidate.trial.samples.size();
  measurer_of(configuration).take_turn(*candidate.job, candidate.trial, turn);
  sequence_ += static_cast<std::int64_t>(candidate.trial.samples.size() - samples_before);
  bench_.backlog.add([this, &candidate] {
    if (candidate.alive()) learn_from(candidate);
  });
}

void TrialMaker::learn_from(const Candidate& candidate) {
  const Configuration& configuration = candidate.pending->configuration;
  race_against(configuration, median_ns(candidate.trial));
  // Better one that runs where the others do.
  if (!drift_job_ || (!is_host(configuration) && is_host(drift_job_->configuration)))
    drift_job_ = candidate.job;
}

void TrialMaker::race_against(const Configuration& configuration, double time_ns) {
  double& best_ns = best_ns_[peers_of(configuration)];
  if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
}

// Its failure would say nothing new, and must not end the run.
void TrialMaker::measure_drift(std::int64_t run) {
  settle();
  if (!drift_job_ || stopped()) return;
  Trial trial = new_trial(*drift_job_);
  trial.launches = {};
  try {
    measurer_of(drift_job_->configuration)
        .take_turn(*drift_job_, trial, {.first = false, .last = false, .first_sequence = sequence_});
    settle();
  } catch (...) {
    forget();  // what is left refers to the trial
    throw;
  }
  sequence_ += static_cast<std::int64_t>(trial.samples.size());
  store_.add_drift(run, drift_job_->configuration, drift_block_++, trial.samples);
}

bool TrialMaker::store(std::int64_t run, const Candidate& candidate) {
  if (candidate.cut_short) return false;
  double hidden_s = 0;
  const Stopwatch storing(bench_.backlog.hidden() ? hidden_s : phases_.store);
  store_.add_trial(run, device_record(executor_of(candidate.pending->configuration).description()),
                   candidate.trial);
  return true;
}

std::function<bool()> TrialMaker::waiting() {
  return [this, start = Clock::now()]() mutable {
    const Clock::time_point now = Clock::now();
    phases_.wait += std::chrono::duration<double>(now - std::exchange(start, now)).count();
    while (bench_.backlog.do_one()) {
    }
    return stop_requested_();
  };
}

bool TrialMaker::stopped() {
  stopped_ = stopped_ || stop_requested_();
  return stopped_;
}

PhaseTimes TrialMaker::phases() const {
  PhaseTimes phases = phases_of(bench_);
  phases.load -= measurers_before_.load;
  phases.verify -= measurers_before_.verify;
  phases.measure -= measurers_before_.measure;
  phases.wait = phases_.wait;
  phases.store = phases_.store;
  return phases;
}

}  // namespace tailwave
