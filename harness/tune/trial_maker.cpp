#include "tune/trial_maker.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/hash.h"
#include "core/stopwatch.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

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

TrialMaker::TrialMaker(const Experiment& experiment, const MeasureSettings& settings, Workbench& bench,
                       ResultStore& store, const std::function<bool()>& stop_requested)
    : experiment_(experiment),
      settings_(settings),
      bench_(bench),
      store_(store),
      stop_requested_(stop_requested),
      measurers_before_(phases_of(bench)) {}

TrialMaker::~TrialMaker() {
  if (!under_way_.empty()) abandon();
}

void TrialMaker::abandon() {
  under_way_.clear();
  bench_.measurer.abandon();
  bench_.host_measurer.abandon();
}

bool TrialMaker::is_host(const Configuration& configuration) const {
  return experiment_.system.find_variant(configuration.variant)->target == VariantSpec::Target::host;
}

const Worker& TrialMaker::worker_of(const Configuration& configuration) const {
  return measurer_of(configuration).worker();
}

Measurer& TrialMaker::measurer_of(const Configuration& configuration) const {
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
  return bench_.reference.compiler_of(experiment_.system);
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

std::string TrialMaker::key_of(const MeasureSettings& settings, const Configuration& configuration,
                               const std::string& build_key, const std::string& reference_key) const {
  const std::optional<DeviceSpec>& planned = bench_.tools.occupancy_device;
  return trial_key(build_key, reference_key, experiment_, settings, configuration,
                   worker_of(configuration).description(), planned ? planned->name : "");
}

void TrialMaker::prepare_for(const Configuration& configuration) {
  measurer_of(configuration).prepare(experiment_.system, configuration);
}

Candidate TrialMaker::prepare(const Pending& pending, Built built) {
  Candidate candidate;
  if (!built.artifact) {
    candidate.trial.configuration = pending.configuration;
    candidate.trial.outcome = built.outcome;
    candidate.trial.detail = std::move(built.detail);
  } else {
    candidate.job = Job{.system = &experiment_.system,
                        .settings = &settings_,
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
  Job job{.system = &experiment_.system, .configuration = configuration};
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
  const auto [known, is_new] = measured_.emplace(identity, candidate.job->configuration.name());
  if (is_new) return;
  candidate.trial.outcome = Outcome::skipped_identical;
  candidate.trial.same_as = known->second;
  candidate.trial.detail = "the same machine code and launches as " + known->second;
}

bool TrialMaker::ready_for(const Candidate& candidate) const {
  if (under_way_.empty() || !candidate.alive()) return true;
  const Configuration& configuration = candidate.job->configuration;
  const Measurer& own = measurer_of(configuration);
  const Measurer& other = is_host(configuration) ? bench_.measurer : bench_.host_measurer;
  return own.has_room() && other.is_idle() && configuration.problem == problem_;
}

Turn TrialMaker::next_turn(const Candidate& candidate) {
  Turn turn{.repetition = candidate.turns,
            .first = candidate.turns == 0,
            .last = candidate.turns == settings_.repetitions - 1};
  const double best_ns = best_ns_[peers_of(candidate.job->configuration)];
  if (settings_.race > 0 && best_ns > 0) turn.race_to_ns = best_ns * (1 + settings_.race);
  return turn;
}

void TrialMaker::begin(Candidate& candidate) {
  UnderWay one{&candidate, nullptr, candidate.trial.samples.size()};
  if (candidate.alive()) {
    const Configuration& configuration = candidate.job->configuration;
    Measurer& measurer = measurer_of(configuration);
    problem_ = configuration.problem;
    if (measurer.begin(*candidate.job, candidate.trial, next_turn(candidate))) one.measurer = &measurer;
  }
  ++candidate.turns;
  under_way_.push_back(one);
}

bool TrialMaker::answer_is_there() const {
  if (under_way_.empty()) return false;
  const Measurer* const measurer = under_way_.front().measurer;
  return measurer == nullptr || measurer->worker().is_done();
}

Candidate& TrialMaker::finish() {
  const UnderWay one = under_way_.front();
  under_way_.pop_front();
  Candidate& candidate = *one.candidate;
  if (one.measurer == nullptr) return candidate;
  try {
    one.measurer->finish();
  } catch (...) {
    abandon();
    throw;
  }
  std::vector<Sample>& samples = candidate.trial.samples;
  for (std::size_t i = one.samples_before; i < samples.size(); ++i) samples[i].sequence = sequence_++;
  if (candidate.alive()) learn_from(candidate);
  return candidate;
}

void TrialMaker::wait(CompilePool& pool) {
  if (stopped()) throw Cancelled();
  constexpr double kLongestTurnS = 0.05;  // in which nobody looks whether a stop is requested
  double nothing_s = 0;
  const Stopwatch waiting(is_idle() ? phases_.wait : nothing_s);
  std::vector<pollfd> wanted = pool.descriptors();
  if (!is_idle() && under_way_.front().measurer != nullptr)
    wanted.push_back({under_way_.front().measurer->worker().descriptor(), POLLIN, 0});
  const double wait_s = std::clamp(pool.due_s(), 0.0, kLongestTurnS);
  poll(wanted.data(), wanted.size(), static_cast<int>(wait_s * 1e3) + 1);
  pool.receive();
}

void TrialMaker::learn_from(const Candidate& candidate) {
  const Configuration& configuration = candidate.job->configuration;
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
  if (!drift_job_ || stopped()) return;
  Trial trial = new_trial(*drift_job_);
  Measurer& measurer = measurer_of(drift_job_->configuration);
  if (!measurer.begin(*drift_job_, trial, {.first = false, .last = false})) return;
  measurer.finish();
  for (Sample& sample : trial.samples) sample.sequence = sequence_++;
  store_.add_drift(run, drift_job_->configuration, drift_block_++, trial.samples);
}

void TrialMaker::store(std::int64_t run, const Candidate& candidate) {
  // What is done while the device works costs the run no time.
  double hidden_s = 0;
  const Stopwatch storing(is_idle() ? phases_.store : hidden_s);
  store_.add_trial(run, worker_of(candidate.trial.configuration).description(), candidate.trial);
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
