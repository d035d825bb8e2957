#include "tune/trial_maker.h"

#include <poll.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/hash.h"
#include "core/program_identity.h"
#include "core/stopwatch.h"
#include "device/wire.h"
#include "measure/launch_description.h"
#include "spec/system_fields.h"
#include "store/gpu_store.h"
#include "store/rows.h"
#include "tune/environment.h"
#include "tune/search_cost.h"

namespace tailwave {

TrialMaker::TrialMaker(const Experiment& experiment, const MeasureSettings& settings, Team& team,
                       ResultStore& store, const std::function<bool()>& stop_requested)
    : experiment_(experiment),
      settings_(settings),
      team_(team),
      store_(store),
      stop_requested_(stop_requested),
      metrics_(experiment, team.first(), store.database()),
      phases_before_(team.phases()) {}

const VariantSpec& TrialMaker::variant_of(const Configuration& configuration) const {
  return *experiment_.system.find_variant(configuration.variant);
}

bool TrialMaker::is_kernel(const Configuration& configuration) const {
  return variant_of(configuration).target == VariantSpec::Target::cuda;
}

// Configurations with the same answer here are alternatives: the same problem on the same kind of device.
std::string TrialMaker::peers_of(const Configuration& configuration) const {
  return Configuration{configuration.system,
                       std::string(to_string(variant_of(configuration).target)),
                       {},
                       configuration.problem}
      .name();
}

BuildRequest TrialMaker::reference_request() const {
  const System& system = experiment_.system;
  const VariantSpec* variant = system.find_variant(system.reference.variant);
  Values problem;
  for (const auto& [name, quantity] : system.problem) problem.emplace(name, quantity.default_value);
  return {&system, variant, default_configuration(system, *variant, problem), settings_.build_deadline_s};
}

void TrialMaker::prepare(const Configuration& first) {
  metrics_.prepare();
  team_.prepare(experiment_.system, first);
}

Built TrialMaker::build(const Configuration& configuration) const {
  return build_configuration(experiment_.system, configuration, tools(), settings_.build_deadline_s);
}

Built TrialMaker::build_reference() const {
  if (experiment_.system.reference.variant.empty()) return {};  // nothing to build
  return build_with(team_.first().reference().compiler_of(experiment_.system), reference_request());
}

std::string TrialMaker::reference_key() const {
  const ReferenceSpec& reference = experiment_.system.reference;
  if (reference.variant.empty()) {
    FieldHasher hasher;
    add_reference(hasher, reference);
    if (reference.python && tools().reference.python) hasher.add(tools().reference.python->versions);
    return hasher.digest();
  }
  return team_.first().reference().compiler_of(experiment_.system).key(reference_request());
}

TrialKeys TrialMaker::keys() {
  reference_key_ = reference_key();
  return {experiment_, tools(), reference_key_};
}

// Once something is built it is known which files outside the project its compiler read, and these belong to the key.
void TrialMaker::complete_key(Candidate& candidate) {
  if (!reference_reads_elsewhere_) reference_reads_elsewhere_ = reference_key() != reference_key_;
  if (candidate.artifact->inputs.empty() && !*reference_reads_elsewhere_) return;
  const TrialKeys all = keys();
  candidate.trial.key =
      all.key(candidate.configuration(), all.build_key(candidate.configuration()), settings_);
}

void TrialMaker::remember(const Configuration& configuration, std::int64_t trial,
                          const std::string& measured) {
  const std::string code_hash = store_.machine_code_of(trial);
  if (code_hash.empty()) return;
  try {
    measured_.emplace(work_identity(experiment_.system, configuration, code_hash), measured);
  } catch (const std::exception&) {
    // It has failed for the same reason.
  }
}

Candidate TrialMaker::to_do(const Configuration& configuration, std::string key, std::size_t number) const {
  Candidate candidate{.system = &experiment_.system,
                      .settings = &settings_,
                      .number = number,
                      .repetitions = settings_.repetitions};
  candidate.trial.key = std::move(key);
  candidate.trial.configuration = configuration;
  return candidate;
}

void TrialMaker::resume(Candidate& candidate, const std::map<std::string, UnfinishedTrial>& left) {
  const auto found = left.find(candidate.trial.key);
  if (found == left.end()) return;
  try {
    const auto bytes = std::as_bytes(std::span(found->second.contents));
    Packet packet(Bytes(bytes.begin(), bytes.end()), {});
    auto trial = tailwave::take<Trial>(packet);
    const int begun = found->second.repetitions;
    if (trial.key != candidate.trial.key || trial.configuration.name() != candidate.configuration().name() ||
        trial.outcome != Outcome::correct || begun < 1 || begun >= candidate.repetitions)
      return;
    for (Sample& sample : trial.samples) sample.sequence = sequence_++;
    candidate.trial = std::move(trial);
    candidate.begun = begun;
  } catch (const std::exception&) {
    return;
  }
}

void TrialMaker::keep(std::int64_t run, const Candidate& candidate) {
  double hidden_s = 0;
  const Stopwatch storing(team_.is_idle() ? phases_.store : hidden_s);
  Packet packet;
  packet << candidate.trial;
  const auto bytes = packet.bytes();
  store_.keep_unfinished(
      run, candidate.trial.key, program_identity(),
      {candidate.begun, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
}

void TrialMaker::take(Candidate& candidate, Built built) {
  if (!built.artifact) return candidate.fail(built.outcome, std::move(built.detail));
  candidate.take(std::move(*built.artifact));
  complete_key(candidate);
  skip_if_identical(candidate);
}

void TrialMaker::skip_if_identical(Candidate& candidate) {
  if (candidate.artifact->kind != Artifact::Kind::cubin) return;
  const Configuration& configuration = candidate.configuration();
  std::string identity;
  try {
    identity = work_identity(experiment_.system, configuration, candidate.artifact->record.code_hash);
  } catch (const std::exception&) {
    return;  // what cannot be evaluated fails with the right words when it is measured
  }
  if (identity.empty()) return;
  const auto [known, is_new] = measured_.emplace(identity, configuration.name());
  if (is_new) return;
  candidate.trial.same_as = known->second;
  candidate.fail(Outcome::skipped_identical, "the same machine code and launches as " + known->second);
}

void TrialMaker::begin(Candidate candidate) {
  Rivals rivals;
  if (candidate.drift_block) return team_.begin(std::move(candidate), rivals);
  if (candidate.is_alive() && candidate.is_first()) rivals.give_up_ns = give_up_ns(candidate.configuration());
  if (settings_.race > 0) {
    const auto best_ns = best_ns_.find(peers_of(candidate.configuration()));
    if (best_ns != best_ns_.end()) rivals.race_to_ns = best_ns->second * (1 + settings_.race);
  }
  team_.begin(std::move(candidate), rivals);
}

// None where a time does not tell how good a configuration is, or its work cannot be told beforehand. With objectives a slow
// one may be best by another.
std::optional<double> TrialMaker::cost_of_a_ns(const Configuration& configuration) const {
  if (!experiment_.objectives.empty()) return {};
  try {
    return tailwave::cost_of_a_ns(experiment_.metric,
                                  evaluate_work(experiment_.system, configuration.scope()));
  } catch (const std::exception&) {
    return {};  // it fails with the right words when it is measured
  }
}

// Work that may differ is taken into account.
std::optional<double> TrialMaker::give_up_ns(const Configuration& configuration) const {
  const double give_up = settings_.give_up.value_or(0);
  if (give_up == 0) return {};
  const auto best = best_cost_.find(peers_of(configuration));
  if (best == best_cost_.end()) return {};
  const std::optional<double> of_a_ns = cost_of_a_ns(configuration);
  if (!of_a_ns) return {};
  // What launches cost is not held against a kernel of a few microseconds, and samples of a millisecond cost little. Where
  // other programs have the cores in between, an execution may take some of their time slices.
  constexpr double kLeastNs = 1e6, kLeastOnCpuNs = 20e6;
  const Worker& worker = team_.tools().worker_of(variant_of(configuration));
  const bool on_cpu = worker.description().kind == DeviceKind::cpu;
  return std::max(on_cpu ? kLeastOnCpuNs : kLeastNs, give_up * best->second / *of_a_ns);
}

Candidate TrialMaker::finish() {
  Candidate candidate = team_.finish();
  if (candidate.drift_block) return candidate;
  for (Sample& sample : candidate.trial.samples)
    if (sample.repetition == candidate.begun - 1) sample.sequence = sequence_++;
  if (candidate.is_alive()) learn_from(candidate);
  return candidate;
}

void TrialMaker::wait(CompilePool& pool) {
  if (stopped()) throw Cancelled();
  constexpr double kLongestTurnS = 0.05;  // in which nobody looks whether a stop is requested
  double nothing_s = 0;
  const Stopwatch waiting(team_.is_idle() ? phases_.wait : nothing_s);
  std::vector<pollfd> wanted = pool.descriptors();
  for (const int descriptor : team_.descriptors()) wanted.push_back({descriptor, POLLIN, 0});
  const double wait_s = std::clamp(pool.due_s(), 0.0, kLongestTurnS);
  poll(wanted.data(), wanted.size(), static_cast<int>(wait_s * 1e3) + 1);
  pool.receive();
}

void TrialMaker::learn_from(const Candidate& candidate) {
  race_against(candidate.configuration(), median_ns(candidate.trial));
  make_anchor_of(candidate);
}

// Better one that runs where the others do.
void TrialMaker::make_anchor_of(const Candidate& candidate) {
  const bool is_kernel_here = is_kernel(candidate.configuration());
  if (is_kernel_here && !anchors_.empty() && !is_kernel(anchors_.front().configuration())) anchors_.clear();
  const std::size_t wanted = is_kernel_here && team_.size() > 1 ? kAnchors : 1;
  const auto is_it = [&](const Candidate& one) { return one.configuration() == candidate.configuration(); };
  if (anchors_.size() >= wanted || std::ranges::any_of(anchors_, is_it)) return;
  Candidate& anchor = anchors_.emplace_back(to_do(candidate.configuration(), "", candidate.number));
  anchor.take(*candidate.artifact);
  anchor.begun = 1;
}

void TrialMaker::race_against(const Configuration& configuration, double time_ns) {
  if (time_ns <= 0) return;  // no sample counts
  double& best_ns = best_ns_.emplace(peers_of(configuration), time_ns).first->second;
  best_ns = std::min(best_ns, time_ns);
  give_up_beside(configuration, time_ns);
}

void TrialMaker::give_up_beside(const Configuration& configuration, double time_ns) {
  const std::optional<double> of_a_ns = cost_of_a_ns(configuration);
  if (!of_a_ns) return;
  const double cost = time_ns * *of_a_ns;
  double& best_cost = best_cost_.emplace(peers_of(configuration), cost).first->second;
  best_cost = std::min(best_cost, cost);
}

bool TrialMaker::is_hopeless(const Configuration& configuration, double at_least_ns) const {
  const std::optional<double> limit_ns = give_up_ns(configuration);
  return limit_ns && at_least_ns > *limit_ns;
}

std::vector<Candidate> TrialMaker::next_drift() {
  if (anchors_.empty() || stopped()) return {};
  Candidate anchor = anchors_[static_cast<std::size_t>(drift_block_) % anchors_.size()];
  anchor.drift_block = drift_block_++;
  return team_.one_for_each(anchor);
}

// Its failure would say nothing new, and must not end the run.
void TrialMaker::store_drift(std::int64_t run, Candidate measured) {
  Trial& trial = measured.trial;
  for (Sample& sample : trial.samples) sample.sequence = sequence_++;
  const std::size_t gpu = measured.gpu.value_or(0);
  const int block = *measured.drift_block;
  store_.add_drift(run, team_.tools_of(gpu).worker_of(measured.variant()).description(), trial.configuration,
                   block, trial.samples);
  const auto is_known = [&](const AnchorTime& one) { return one.gpu == gpu && one.block == block; };
  if (std::ranges::none_of(anchor_times_, is_known))  // or what a lost GPU had begun was measured here, too
    anchor_times_.push_back({gpu, block, median_ns(trial)});
}

void TrialMaker::measure_drift(std::int64_t run) {
  for (Candidate& one : next_drift()) team_.begin(std::move(one));
  while (!team_.is_idle()) store_drift(run, team_.finish());
}

std::vector<GpuFactor> TrialMaker::compare_gpus(std::int64_t run) {
  if (team_.size() == 1 || anchors_.empty()) return {};
  while (drift_block_ < static_cast<int>(kFewestForInterval) && !stopped()) measure_drift(run);
  std::vector<GpuFactor> factors = gpu_factors(anchor_times_, team_.left());
  if (!factors.empty()) store_gpu_factors(run, factors);
  return factors;
}

void TrialMaker::store_gpu_factors(std::int64_t run, const std::vector<GpuFactor>& factors) {
  Database& database = store_.database();
  Transaction transaction(database);
  std::vector<StoredGpuFactor> stored;
  for (const GpuFactor& one : factors)
    stored.push_back({find_or_insert_device(database, team_.tools_of(one.gpu).device->description()),
                      one.factor, one.interval, static_cast<std::int64_t>(one.ratios)});
  set_gpu_factors(database, run, stored);
  transaction.commit();
}

std::int64_t TrialMaker::store(std::int64_t run, const Candidate& candidate) {
  // What is done while the device works costs the run no time.
  double hidden_s = 0;
  const Stopwatch storing(team_.is_idle() ? phases_.store : hidden_s);
  const std::int64_t trial = store_.add_trial(
      run, team_.tools_of(candidate.gpu.value_or(0)).worker_of(candidate.variant()).description(),
      candidate.trial);
  metrics_.store(trial);
  return trial;
}

bool TrialMaker::stopped() {
  stopped_ = stopped_ || stop_requested_();
  return stopped_;
}

PhaseTimes TrialMaker::phases() const {
  PhaseTimes phases = team_.phases();
  phases -= phases_before_;
  phases += phases_;
  return phases;
}

}  // namespace tailwave
