#include "measure/measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/stopwatch.h"
#include "measure/launch_plan.h"
#include "measure/limits.h"
#include "measure/workspace.h"
#include "occupancy/occupancy.h"
#include "verify/compare.h"

namespace tailwave {
namespace {

constexpr const char* kCopyBandwidth = "copy_bandwidth";

const VariantSpec& variant_of(const Job& job) {
  return *job.system->find_variant(job.configuration.variant);
}

// Executions back to back work on what the one before left. A kernel that finds its work done (a sorted array, a result
// that is there already) would then get a time that no first execution has.
void refuse_work_that_fades(double fresh_ns, DeviceKind device_kind, Trial& trial) {
  constexpr double kShare = 0.25;
  const double latency_ns =
      device_kind == DeviceKind::cuda ? 5e3 : 2e5;  // that a single execution may have on top
  const double time_ns = median_ns(trial);
  if (time_ns >= kShare * (fresh_ns - latency_ns)) return;
  trial.outcome = Outcome::wrong_result;
  trial.detail = fmt::format(
      "an execution on fresh inputs takes {:.4g} us, executions back to back {:.4g} us each: they do not do "
      "the same work; measure it with the mode 'isolated'",
      fresh_ns / 1e3, time_ns / 1e3);
}

// Throws Failure(wrong_result) where nothing is compared.
std::map<std::string, ResolvedComparison> comparisons_of(const Job& job) {
  const System& system = *job.system;
  const bool is_reference = job.configuration.variant == system.reference.variant &&
                            variant_of(job).target == VariantSpec::Target::host;
  const std::vector<std::string> used = used_buffers(system, variant_of(job));
  std::map<std::string, ResolvedComparison> comparisons;
  for (const auto& [buffer, comparison] : system.reference.compare) {
    if (std::find(used.begin(), used.end(), buffer) == used.end()) continue;
    Comparison own = comparison;
    // The reference need not have the parameters that a tolerance names, and differs from itself in nothing.
    if (is_reference) own.tolerance = Expression();
    if (const auto resolved = resolve(own, job.configuration.scope())) comparisons.emplace(buffer, *resolved);
  }
  if (comparisons.empty())
    throw Failure(Outcome::wrong_result, "no comparison of the manifest holds for this problem");
  return comparisons;
}

bool is_range(const ResolvedComparison& comparison) {
  return comparison.norm == Comparison::Norm::range;
}

// Of a comparison that failed, for people.
std::string why_wrong(const Verification& result) {
  if (!std::isfinite(result.error) || result.norm == to_string(Comparison::Norm::exact)) return result.detail;
  return fmt::format("{} {:.3g} exceeds {:.3g}; {}", result.norm, result.error, result.tolerance,
                     result.detail);
}

const char* phase_of(std::uint64_t draw) {
  return draw == 0 ? "before" : "after";
}

// Verifies with the first draw, samples, verifies with the second, which the configuration has not seen.
std::vector<Step> steps_of(const Turn& turn) {
  std::vector<Step> steps;
  if (turn.first) steps.push_back({.draw = 0, .timed = false, .looked_at = true});
  steps.push_back({.draw = 0, .timed = true, .looked_at = false});
  if (turn.last) steps.push_back({.draw = 1, .timed = false, .looked_at = true});
  return steps;
}

}  // namespace

std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device) {
  std::vector<LaunchRecord> records;
  for (const auto& [position, shape, count] : launch_shapes(variant.launches, scope)) {
    LaunchRecord record;
    record.position = static_cast<int>(position);
    record.count = count;
    record.kernel = shape.kernel;
    record.grid = shape.grid;
    record.block = shape.block;
    record.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    for (const KernelResources& kernel : resources) {
      if (kernel.kernel == shape.kernel) record.resources = kernel;
    }
    if (device && record.resources && occupancy_available(*device)) {
      record.occupancy_device = device->name;
      record.occupancy =
          compute_occupancy(*device, *record.resources, shape.block, shape.dynamic_shared_bytes);
      if (record.occupancy->blocks_per_sm > 0) {
        record.waves = compute_waves(*device, shape.grid, record.occupancy->blocks_per_sm);
      }
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device) {
  for (const LaunchRecord& launch : launches) {
    if (!launch.resources) continue;
    const std::string obstacle =
        launch_obstacle(device, *launch.resources, launch.grid, launch.block, launch.dynamic_shared_bytes);
    if (!obstacle.empty()) return launch.kernel + ": " + obstacle;
  }
  return "";
}

Values evaluate_work(const System& system, const Values& scope) {
  Values work;
  for (const auto& [name, expression] : system.work) {
    try {
      work[name] = expression.evaluate(scope);
    } catch (const ExpressionError& error) {
      throw Error({.file = system.file.string(),
                   .place = "/work/" + name,
                   .cause = error.what(),
                   .excerpt = expression.text(),
                   .column = error.column,
                   .hint = error.hint});
    }
  }
  return work;
}

std::vector<Comparer::Kind> large_comparisons(const System& system, const VariantSpec& variant,
                                              const Values& scope) {
  std::vector<Comparer::Kind> kinds;
  try {
    for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
      const auto compared = system.reference.compare.find(name);
      const ScalarType type = system.buffers.at(name).type;
      if (compared != system.reference.compare.end() && count * size_bytes(type) >= Examiner::kFewestBytes)
        kinds.emplace_back(compared->second.norm, type);
    }
  } catch (const Failure&) {
    kinds.clear();  // it is met again when the configuration is measured
  }
  return kinds;
}

Trial new_trial(const Job& job) {
  Trial trial;
  trial.configuration = job.configuration;
  trial.build = job.artifact.record;
  return trial;
}

Tasks measuring_tasks() {
  return {{kCopyBandwidth, [](DeviceData& data, Watch& /*watch*/, Packet& /*request*/, Packet& answer) {
             answer << data.device().copy_bandwidth();
           }}};
}

Trial Measurer::measure(const Job& job) {
  Trial trial = new_trial(job);
  if (begin(job, trial, {})) finish();
  return trial;
}

void Measurer::prepare(const System& system, const Configuration& configuration) {
  const auto names_bandwidth = [](const auto& limit) {
    const auto names = limit.second.seconds.names();
    return std::find(names.begin(), names.end(), "COPY_BANDWIDTH") != names.end();
  };
  if (worker_.description().kind == DeviceKind::cuda &&
      std::any_of(system.limits.begin(), system.limits.end(), names_bandwidth)) {
    try {
      copy_bandwidth();
    } catch (const Failure&) {
      copy_bandwidth_ = 0;  // not known
    }
  }
  if (verifier_ == nullptr) return;
  const std::vector<Comparer::Kind> kinds =
      large_comparisons(system, *system.find_variant(configuration.variant), configuration.scope());
  if (!kinds.empty()) verifier_->start(kinds);
}

bool Measurer::begin(const Job& job, Trial& trial, const Turn& turn) {
  Repetition wanted{.number = worker_.new_number(),
                    .system = job.system,
                    .configuration = job.configuration,
                    .artifact = job.artifact,
                    .settings = *job.settings,
                    .repetition = turn.repetition,
                    .race_to_ns = turn.race_to_ns,
                    .steps = steps_of(turn),
                    .asks_driver = turn.first};
  UnderWay one{&job, &trial, {}, {}, {}, wanted.number, false};
  try {
    if (turn.first) describe(job, trial);
    if (turn.first || turn.last) one.comparisons = comparisons_of(job);
  } catch (const Failure& failure) {
    trial.outcome = failure.outcome();
    trial.detail = failure.what();
    return false;
  }
  for (const auto& [buffer, comparison] : one.comparisons) wanted.results.push_back(buffer);
  const bool uses_reference = std::any_of(one.comparisons.begin(), one.comparisons.end(),
                                          [](const auto& of) { return !is_range(of.second); });
  for (const Step& step : wanted.steps) {
    if (!step.looked_at) continue;
    one.draws.push_back(step.draw);
    one.expected.emplace_back();
    if (uses_reference)
      one.expected.back() = reference_.expected(*job.system, job.configuration.problem, step.draw);
  }
  reference_.rest();
  wanted.verifier = one.examined = is_examined(one);
  wanted.fresh_data = std::exchange(wants_fresh_data_, false);
  worker_.begin(std::move(wanted));
  under_way_.push_back(std::move(one));
  return true;
}

void Measurer::describe(const Job& job, Trial& trial) {
  const Values scope = job.configuration.scope();
  const VariantSpec& variant = variant_of(job);
  trial.work = evaluate_work(*job.system, scope);
  trial.launches = describe_launches(variant, scope, job.resources, job.occupancy_device);
  if (has_until(variant.launches)) {
    trial.work.clear();  // how many iterations there are is not known, and so neither is the work
  } else if (job.occupancy_device && worker_.description().kind == DeviceKind::cuda) {
    trial.limits =
        time_limits(*job.system, scope, *job.occupancy_device, [this] { return copy_bandwidth(); });
  }
}

// Not known while a turn is under way; prepare() asks for it.
double Measurer::copy_bandwidth() {
  if (!copy_bandwidth_ && under_way_.empty()) {
    Packet answer = worker_.call(kCopyBandwidth, {});
    copy_bandwidth_ = take<double>(answer);
  }
  return copy_bandwidth_.value_or(0);
}

// All of both draws that are worth comparing on the device, whichever of them this configuration has.
Verifier::Contents Measurer::large_contents(const UnderWay& one) {
  Verifier::Contents contents;
  for (const ReferenceProvider::Expected& expected : one.expected) {
    if (!expected.contents) continue;
    for (const auto& [buffer, blob] : *expected.contents)
      if (blob.bytes().size() >= Examiner::kFewestBytes) contents[expected.key + " " + buffer] = blob;
  }
  return contents;
}

std::vector<std::vector<Expectation>> Measurer::expectations(const UnderWay& one,
                                                             const Verifier::Contents& contents) {
  std::vector<std::vector<Expectation>> looks;
  for (const ReferenceProvider::Expected& expected : one.expected) {
    std::vector<Expectation>& look = looks.emplace_back();
    for (const auto& [buffer, comparison] : one.comparisons) {
      const std::string key = is_range(comparison) ? "" : expected.key + " " + buffer;
      if (is_range(comparison) || contents.contains(key))  // else it is compared here
        look.push_back({buffer, one.job->system->buffers.at(buffer).type, comparison, key});
    }
  }
  return looks;
}

bool Measurer::is_examined(const UnderWay& one) {
  if (verifier_ == nullptr) return false;
  const Verifier::Contents contents = large_contents(one);
  const auto looks = expectations(one, contents);
  const bool any = std::any_of(looks.begin(), looks.end(), [](const auto& look) {
    return std::any_of(look.begin(), look.end(), [](const Expectation& of) { return !of.key.empty(); });
  });
  return any && verifier_->expect(one.number, looks, contents);
}

void Measurer::finish() {
  const UnderWay one = std::move(under_way_.front());
  RepetitionResult result;
  try {
    result = worker_.finish();
  } catch (...) {
    abandon();
    throw;
  }
  under_way_.pop_front();
  phases_.load += result.phases.load;
  phases_.verify += result.phases.verify;
  phases_.measure += result.phases.measure;
  // What is done while the device works costs the run no time.
  double hidden_s = 0;
  const Stopwatch judging(under_way_.empty() ? phases_.verify : hidden_s);
  try {
    judge(one, std::move(result));
  } catch (const std::exception& error) {
    // An answer that is whole and makes no sense is the worker's doing.
    one.trial->outcome = Outcome::crashed;
    one.trial->detail =
        fmt::format("the device's worker process gave an answer that makes no sense: {}", error.what());
  }
  // It may have written where the inputs of others are kept.
  wants_fresh_data_ = wants_fresh_data_ || one.trial->outcome != Outcome::correct;
  if (one.trial->outcome != Outcome::correct) one.trial->samples.clear();
}

void Measurer::abandon() {
  worker_.abandon();
  under_way_.clear();
}

void Measurer::judge(const UnderWay& one, RepetitionResult result) {
  Trial& trial = *one.trial;
  for (std::size_t i = 0; i < result.blocks_per_sm.size() && i < trial.launches.size(); ++i)
    trial.launches[i].driver_blocks_per_sm = result.blocks_per_sm[i];
  std::move(result.samples.begin(), result.samples.end(), std::back_inserter(trial.samples));
  try {
    for (std::size_t i = 0; i < result.looks.size(); ++i) judge_look(one, i, result.looks[i]);
    if (result.outcome != Outcome::correct && trial.outcome == Outcome::correct)
      throw Failure(result.outcome, result.detail);
  } catch (const Failure& failure) {
    trial.outcome = failure.outcome();
    trial.detail = failure.what();
    // On the CPU device occupancy is that of a GPU which has refused nothing.
    const bool refused =
        failure.outcome() == Outcome::launch_failed && worker_.description().kind == DeviceKind::cuda;
    const std::string obstacle =
        refused && one.job->occupancy_device ? plan_obstacle(trial.launches, *one.job->occupancy_device) : "";
    if (!obstacle.empty()) {
      trial.outcome = Outcome::exceeds_device_limit;
      trial.detail += " (" + obstacle + ")";
    }
  }
  if (trial.outcome != Outcome::correct) return;
  if (result.looks.size() < one.draws.size())
    throw std::logic_error(trial.configuration.name() + " was not verified");
  const MeasureSettings& settings = *one.job->settings;
  trial.stopped_by = std::move(result.stopped_by);
  trial.mode = settings.cache == CacheState::hot
                   ? std::string(to_string(settings.mode))
                   : fmt::format("{}, {}", to_string(settings.mode), to_string(settings.cache));
  trial.timer = timer_of(worker_.description().kind);
  if (result.fresh_ns) refuse_work_that_fades(*result.fresh_ns, worker_.description().kind, trial);
}

void Measurer::judge_look(const UnderWay& one, std::size_t number, const Look& look) {
  const std::uint64_t draw = one.draws.at(number);
  const ReferenceProvider::Expected& expected = one.expected[number];
  std::optional<Verifier::Found> found;
  if (look.examined) found = verifier_->take(one.number, number);
  if (look.examined && !found)
    throw Failure(Outcome::crashed, "nobody compared what was said to be compared");
  for (const auto& [buffer, comparison] : one.comparisons) {
    const auto contents = look.contents.find(buffer);
    if (contents == look.contents.end()) {
      if (!found) throw Failure(Outcome::crashed, "the worker did not hand over the buffer '" + buffer + "'");
      const auto examined = std::find_if(found->verifications.begin(), found->verifications.end(),
                                         [&, &name = buffer](const auto& of) { return of.buffer == name; });
      if (examined == found->verifications.end())
        throw Failure(Outcome::crashed, "nobody compared the buffer '" + buffer + "'");
      add(*one.trial, phase_of(draw), *examined, is_range(comparison) ? "" : expected.weakness);
      continue;
    }
    const std::span<const std::byte> actual = contents->second.bytes();
    Verification verification =
        compare(one.job->system->buffers.at(buffer).type,
                is_range(comparison) ? actual : expected.contents->at(buffer).bytes(), actual, comparison);
    verification.buffer = buffer;
    add(*one.trial, phase_of(draw), std::move(verification), is_range(comparison) ? "" : expected.weakness);
  }
  const std::string& damage = look.damage.empty() && found ? found->damage : look.damage;
  if (!damage.empty())
    throw Failure(Outcome::illegal_access,
                  (draw == 0 ? "before timing, " : "while or after timing, ") + damage);
}

// One that answers nobody costs every configuration its patience.
void Measurer::note_examination(bool wanted, const Look& look) {
  constexpr int kMostInARow = 4;
  unexamined_ = wanted && !look.examined ? unexamined_ + 1 : 0;
  if (unexamined_ == kMostInARow)
    verifier_->give_up("the process that compares results on the device does not answer");
}

void Measurer::add(Trial& trial, const std::string& phase, Verification verification,
                   const std::string& weakness) {
  verification.phase = phase;
  if (verification.passed && verification.detail.empty()) verification.detail = weakness;
  if (!verification.passed && trial.outcome == Outcome::correct) {
    trial.outcome = Outcome::wrong_result;
    trial.detail =
        fmt::format("{} timing, buffer '{}': {}", phase, verification.buffer, why_wrong(verification));
  }
  trial.verifications.push_back(std::move(verification));
}

}  // namespace tailwave
