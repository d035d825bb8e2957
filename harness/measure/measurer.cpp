#include "measure/measurer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/bootstrap.h"
#include "core/stopwatch.h"
#include "measure/launch_description.h"
#include "measure/launch_plan.h"
#include "measure/least_time.h"
#include "measure/limits.h"
#include "measure/refused_times.h"
#include "measure/verified_steps.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

constexpr const char* kMemoryRates = "memory_rates";

void note_phases(const PhaseTimes& phases, Trial& trial) {
  trial.verify_seconds = trial.verify_seconds.value_or(0) + phases.load + phases.verify;
  trial.measure_seconds = trial.measure_seconds.value_or(0) + phases.measure;
}

// Of a comparison that failed, for people.
std::string why_wrong(const Verification& result) {
  if (!std::isfinite(result.error) || result.norm == to_string(Comparison::Norm::exact)) return result.detail;
  return fmt::format("{} {:.3g} exceeds {:.3g}; {}", result.norm, result.error, result.tolerance,
                     result.detail);
}

// When something was verified, and for which other problem.
struct Moment {
  std::string phase, problem;

  [[nodiscard]] std::string text() const {
    return phase + " timing" + (problem.empty() ? "" : ", with " + problem);
  }
};

void add_verification(Candidate& candidate, const Moment& moment, Verification verification,
                      const std::string& weakness) {
  verification.phase = moment.phase;
  verification.other_problem = moment.problem;
  if (verification.passed && verification.detail.empty()) verification.detail = weakness;
  if (!verification.passed && candidate.is_alive())
    candidate.fail(Outcome::wrong_result, fmt::format("{}, buffer '{}': {}", moment.text(),
                                                      verification.buffer, why_wrong(verification)));
  candidate.trial.verifications.push_back(std::move(verification));
}

// Whether results are written by what is timed alone, and by one GPU into its memory.
bool is_written_while_timed(const Candidate& candidate) {
  const VariantSpec& variant = candidate.variant();
  const Values scope = candidate.configuration().scope();
  const std::vector<std::string> used = used_buffers(*candidate.system, variant);
  const auto is_elsewhere = [&](const std::string& name) {
    return evaluate_placement(candidate.system->buffers.at(name), scope, name) != Placement{};
  };
  return variant.prepare.empty() && variant.finish.empty() && !variant.pes &&
         std::none_of(used.begin(), used.end(), is_elsewhere);
}

// What takes the time of its executions, as trials record it.
std::string timer_of(const VariantSpec& variant, DeviceKind kind) {
  if (variant.target == VariantSpec::Target::program) return "process";
  if (variant.target == VariantSpec::Target::reporting_program) return "self-reported";
  return kind == DeviceKind::cuda ? "cuda_event" : "steady_clock";
}

// Whether its results are so many that writing them takes longer than a time stamp.
bool writes_much(const System& system, const VariantSpec& variant, const Values& scope) {
  constexpr std::size_t kFewestBytes = std::size_t{4} << 20;
  std::size_t bytes = 0;
  try {
    for (const auto& [name, count] : buffer_counts(system, variant, scope))
      if (system.buffers.at(name).output_only) bytes += count * size_bytes(system.buffers.at(name).type);
  } catch (const Failure&) {
    return false;  // it is met again when the configuration is measured
  }
  return bytes >= kFewestBytes;
}

}  // namespace

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

Tasks measuring_tasks() {
  return {{kMemoryRates, [](DeviceData& data, Watch& /*watch*/, Packet& /*request*/, Packet& answer) {
             answer << data.device().memory_rates();
           }}};
}

void Measurer::prepare(const System& system, const Configuration& configuration) {
  const auto names_bandwidth = [](const auto& limit) {
    const auto names = limit.second.seconds.names();
    return std::find(names.begin(), names.end(), "COPY_BANDWIDTH") != names.end();
  };
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  if (tools_.device->description().kind == DeviceKind::cuda &&
      (std::any_of(system.limits.begin(), system.limits.end(), names_bandwidth) ||
       writes_much(system, variant, configuration.scope())))
    memory_rates();
  const bool is_on_gpu =
      variant.target == VariantSpec::Target::cuda || variant.target == VariantSpec::Target::library;
  if (tools_.verifier == nullptr || !is_on_gpu) return;
  const std::vector<Comparer::Kind> kinds = large_comparisons(system, variant, configuration.scope());
  if (!kinds.empty()) tools_.verifier->start(kinds);
}

bool Measurer::has_room_for(const Candidate& candidate) const {
  if (!candidate.is_alive()) return true;
  const Worker& worker = tools_.worker_of(candidate.variant());
  std::size_t busy = 0;
  for (const UnderWay& one : under_way_) {
    if (one.worker == nullptr) continue;
    if (one.worker != &worker || one.candidate.system != candidate.system ||
        one.candidate.configuration().problem != candidate.configuration().problem)
      return false;
    ++busy;
  }
  return busy < worker.most_under_way();
}

void Measurer::begin(Candidate candidate, const Rivals& rivals) {
  UnderWay one{.candidate = std::move(candidate), .give_up_ns = rivals.give_up_ns};
  if (one.candidate.is_alive()) {
    try {
      if (one.candidate.is_first()) describe(one.candidate);
      if (!one.candidate.drift_block)
        one.comparisons = comparisons_of(one.candidate, one.candidate.configuration().scope());
      send(one, rivals.race_to_ns);
    } catch (const Failure& failure) {
      one.candidate.fail(failure.outcome(), failure.what());
      one.worker = nullptr;
    }
  }
  under_way_.push_back(std::move(one));
}

void Measurer::send(UnderWay& one, std::optional<double> race_to_ns) {
  const Candidate& candidate = one.candidate;
  Worker& worker = tools_.worker_of(candidate.variant());
  one.number = worker.new_number();
  Repetition wanted{
      .number = one.number,
      .system = candidate.system,
      .configuration = candidate.configuration(),
      .artifact = *candidate.artifact,
      .settings = *candidate.settings,
      .repetition = candidate.begun,
      .race_to_ns = race_to_ns,
      .give_up_ns = one.give_up_ns,
      .steps = steps_of(candidate, tools_.first_draw),
      .asks_driver = candidate.is_first(),
      // The bootstrap draws repetitions from so many on. Fewer have the same memory, so that it is no
      // difference between configurations; so has what tells how the device drifts.
      .places_anew = candidate.repetitions >= static_cast<int>(kFewestRepetitions) && !candidate.drift_block,
      .sms = candidate.sms};
  for (const auto& [buffer, comparison] : one.comparisons) wanted.results.push_back(buffer);
  for (Step& step : wanted.steps)
    if (step.looked_at) expect(one, step);
  if (!one.looks.empty() && uses_reference(one.comparisons)) {
    const std::int64_t bytes = survey(one).written_bytes;
    if (is_written_while_timed(candidate)) one.written_bytes = bytes;
  }
  reference_->rest();
  one.worker = &worker;
  wanted.verifier = is_examined(one);
  wanted.fresh_data = spoiled_.erase(&worker) > 0;
  worker.begin(std::move(wanted));
}

void Measurer::expect(UnderWay& one, Step& step) {
  LookedAt& look = one.looks.emplace_back(LookedAt{step, one.comparisons, {}});
  Configuration configuration = one.candidate.configuration();
  for (const auto& [name, value] : step.problem) configuration.problem[name] = value;
  if (!step.problem.empty()) {
    look.comparisons = comparisons_of(one.candidate, configuration.scope());
    for (const auto& [buffer, comparison] : look.comparisons) step.results.push_back(buffer);
  }
  if (uses_reference(look.comparisons))
    look.expected = reference_->expected(*one.candidate.system, configuration.problem, step.draw,
                                         configuration.parameters);
}

void Measurer::describe(Candidate& candidate) {
  const Values scope = candidate.configuration().scope();
  const VariantSpec& variant = candidate.variant();
  Trial& trial = candidate.trial;
  trial.work = evaluate_work(*candidate.system, scope);
  trial.unverified = candidate.system->reference.none;
  if (!trial.unverified.empty())
    reference_->note_weakness(
        fmt::format("unverified: nothing says whether the results are right ({})", trial.unverified));
  refuse_impossible_plan(*candidate.system, variant, scope);
  if (!variant.is_program())
    trial.launches =
        describe_launches(variant, scope, candidate.artifact->resources, tools_.occupancy_device);
  if (may_end_early(variant.launches, scope_of_pe(variant, scope))) {
    trial.work.clear();  // how many iterations there are is not known, and so neither is the work
  } else if (tools_.occupancy_device && tools_.worker_of(variant).description().kind == DeviceKind::cuda) {
    trial.limits = time_limits(*candidate.system, scope, *tools_.occupancy_device,
                               [this] { return memory_rates().copy; });
  }
}

// Not known while a repetition is under way, unless it was asked for before: prepare() does.
MemoryRates Measurer::memory_rates() {
  if (like_ != nullptr) return like_->memory_rates_.value_or(MemoryRates());
  const bool is_busy = std::any_of(under_way_.begin(), under_way_.end(),
                                   [](const UnderWay& one) { return one.worker != nullptr; });
  if (!memory_rates_ && !is_busy) {
    try {
      Packet answer = tools_.device->call(kMemoryRates, {});
      memory_rates_ = take<MemoryRates>(answer);
    } catch (const Failure&) {
      memory_rates_ = MemoryRates();  // not known
    }
  }
  return memory_rates_.value_or(MemoryRates());
}

// Of a problem, once: what its references say of a verification is told before anything is timed.
const ReferenceSurvey& Measurer::survey(const UnderWay& one) {
  const System& system = *one.candidate.system;
  const Values &problem = one.candidate.configuration().problem,
               &parameters = one.candidate.configuration().parameters;
  std::vector<std::string> buffers;
  for (const auto& [buffer, comparison] : one.comparisons)
    if (!is_range(comparison)) buffers.push_back(buffer);
  const ReferenceProvider::Expected first =
      reference_->expected(system, problem, tools_.first_draw, parameters);
  const std::string key = fmt::format("{} {}", first.key, fmt::join(buffers, " "));
  const auto known = surveys_.find(key);
  if (known != surveys_.end()) return known->second;
  const ReferenceProvider::Expected second =
      reference_->expected(system, problem, tools_.first_draw + 1, parameters);
  ReferenceSurvey found =
      survey_reference(system, scope_of_reference(system, one.candidate.configuration().scope()), buffers,
                       tools_.first_draw, *first.contents, *second.contents);
  const std::string name =
      system.inputs.empty() ? system.name : fmt::format("{}, regime '{}'", system.name, system.inputs);
  for (const std::string& remark : found.remarks)
    tools_.reference.tell(fmt::format("{}: {}\n", name, remark));
  if (found.is_constant)
    tools_.reference.tell(
        fmt::format("{}: no random input changes a result, so that a verification shows little\n", name));
  return surveys_.emplace(key, std::move(found)).first->second;
}

// All of both draws that are worth comparing on the device, whichever of them this configuration has.
Verifier::Contents Measurer::large_contents(const UnderWay& one) {
  Verifier::Contents contents;
  for (const LookedAt& look : one.looks) {
    if (!look.expected.contents) continue;
    for (const auto& [buffer, blob] : *look.expected.contents)
      if (blob.bytes().size() >= Examiner::kFewestBytes) contents[look.expected.key + " " + buffer] = blob;
  }
  return contents;
}

std::vector<std::vector<Expectation>> Measurer::expectations(const UnderWay& one,
                                                             const Verifier::Contents& contents) {
  std::vector<std::vector<Expectation>> looks;
  for (const LookedAt& of : one.looks) {
    std::vector<Expectation>& look = looks.emplace_back();
    for (const auto& [buffer, comparison] : of.comparisons) {
      const std::string key = is_range(comparison) ? "" : of.expected.key + " " + buffer;
      if (is_range(comparison) || contents.contains(key))  // else it is compared here
        look.push_back({buffer, one.candidate.system->buffers.at(buffer).type, comparison, key});
    }
  }
  return looks;
}

bool Measurer::is_examined(const UnderWay& one) const {
  if (tools_.verifier == nullptr || one.worker != tools_.device) return false;
  const Verifier::Contents contents = large_contents(one);
  const auto looks = expectations(one, contents);
  const bool any = std::any_of(looks.begin(), looks.end(), [](const auto& look) {
    return std::any_of(look.begin(), look.end(), [](const Expectation& each) { return !each.key.empty(); });
  });
  return any && tools_.verifier->expect(one.number, looks, contents);
}

bool Measurer::answer_is_there() const {
  if (under_way_.empty()) return false;
  Worker* const worker = under_way_.front().worker;
  return worker == nullptr || worker->is_done();
}

int Measurer::descriptor() const {
  if (under_way_.empty() || under_way_.front().worker == nullptr) return -1;
  return under_way_.front().worker->descriptor();
}

Candidate Measurer::measure(Candidate candidate) {
  begin(std::move(candidate));
  return finish();
}

Candidate Measurer::measure_correct(Candidate candidate, const std::string& which) {
  candidate = measure(std::move(candidate));
  if (!candidate.is_alive()) throw Failure(candidate.trial.outcome, which + candidate.trial.detail);
  return candidate;
}

Candidate Measurer::finish() {
  UnderWay one = std::move(under_way_.front());
  under_way_.pop_front();
  Candidate& candidate = one.candidate;
  if (one.worker != nullptr) {
    RepetitionResult result;
    try {
      result = one.worker->finish();
    } catch (...) {
      one.worker->abandon();
      abandon();
      throw;
    }
    phases_ += result.phases;
    note_phases(result.phases, candidate.trial);
    std::string output = shown(result.printed);
    // What is done while the device works costs the run no time.
    double hidden_s = 0;
    const Stopwatch judging(under_way_.empty() ? phases_.verify : hidden_s);
    try {
      judge(one, std::move(result));
    } catch (const std::exception& error) {
      // An answer that is whole and makes no sense is the worker's doing.
      candidate.fail(
          Outcome::crashed,
          fmt::format("the device's worker process gave an answer that makes no sense: {}", error.what()));
    }
    std::string& kept = candidate.trial.kernel_output;
    if (!output.empty() && (kept.empty() || !candidate.is_alive())) kept = std::move(output);
    // It may have written where the inputs of others are kept.
    if (!candidate.is_alive() && candidate.trial.outcome != Outcome::given_up) spoiled_.insert(one.worker);
  }
  if (!candidate.is_alive()) candidate.trial.samples.clear();
  ++candidate.begun;
  return std::move(candidate);
}

void Measurer::abandon() {
  for (const UnderWay& one : under_way_)
    if (one.worker != nullptr) one.worker->abandon();
  under_way_.clear();
}

// Until then waves are those of the SMs to expect.
void Measurer::note_granted_sms(Trial& trial, const std::vector<std::optional<int>>& granted) const {
  for (std::size_t i = 0; i < granted.size() && i < trial.launches.size(); ++i) {
    LaunchRecord& launch = trial.launches[i];
    if (!granted[i]) continue;
    if (!launch.sms_asked || *granted[i] < *launch.sms_asked)
      throw std::out_of_range("SMs were granted that nobody asked for");
    launch.sms_granted = granted[i];
    if (launch.waves && tools_.occupancy_device) launch.waves = waves_of(launch, *tools_.occupancy_device);
  }
}

// Likewise, those of the clusters that the model has.
void Measurer::note_active_clusters(Trial& trial, const std::vector<std::optional<int>>& active) const {
  for (std::size_t i = 0; i < active.size() && i < trial.launches.size(); ++i) {
    LaunchRecord& launch = trial.launches[i];
    if (!active[i]) continue;
    if (!launch.cluster || *active[i] < 0)
      throw std::out_of_range("clusters are active that there are none of");
    launch.driver_active_clusters = active[i];
    if (launch.waves && *active[i] > 0 && tools_.occupancy_device)
      launch.waves = waves_of(launch, *tools_.occupancy_device);
  }
}

void Measurer::judge(UnderWay& one, RepetitionResult result) {
  Candidate& candidate = one.candidate;
  Trial& trial = candidate.trial;
  const bool on_gpu = one.worker->description().kind == DeviceKind::cuda;
  for (std::size_t i = 0; i < result.blocks_per_sm.size() && i < trial.launches.size(); ++i)
    trial.launches[i].driver_blocks_per_sm = result.blocks_per_sm[i];
  note_granted_sms(trial, result.granted_sms);
  note_active_clusters(trial, result.active_clusters);
  const std::string doubt = doubt_of(result, one.worker->description().kind);
  std::move(result.samples.begin(), result.samples.end(), std::back_inserter(trial.samples));
  try {
    for (const Look& look : result.looks) judge_look(one, look, &look == &result.looks.back() ? doubt : "");
    if (result.outcome != Outcome::correct && trial.outcome == Outcome::correct)
      throw Failure(result.outcome, result.detail);
  } catch (const Failure& failure) {
    candidate.fail(failure.outcome(), failure.what());
    // On the CPU device occupancy is that of a GPU which has refused nothing.
    const bool refused = failure.outcome() == Outcome::launch_failed && on_gpu && tools_.occupancy_device;
    const std::string obstacle = refused ? plan_obstacle(trial.launches, *tools_.occupancy_device) : "";
    if (!obstacle.empty())
      candidate.fail(Outcome::exceeds_device_limit, fmt::format("{} ({})", failure.what(), obstacle));
  }
  if (trial.outcome != Outcome::correct) return;
  if (result.at_least_ns) return give_up(one, result);
  const auto wanted = std::count_if(one.looks.begin(), one.looks.end(),
                                    [](const LookedAt& look) { return !look.step.in_doubt; });
  if (std::ssize(result.looks) < wanted)
    throw std::logic_error(trial.configuration.name() + " was not verified");
  const MeasureSettings& settings = *candidate.settings;
  trial.stopped_by = std::move(result.stopped_by);
  trial.mode = settings.cache == CacheState::hot
                   ? std::string(to_string(settings.mode))
                   : fmt::format("{}, {}", to_string(settings.mode), to_string(settings.cache));
  trial.timer = timer_of(candidate.variant(), one.worker->description().kind);
  if (candidate.variant().is_program()) trial.mode += ", " + trial.timer;
  const DeviceKind kind = one.worker->description().kind;
  if (kind == DeviceKind::cuda)
    refuse_what_is_faster_than_possible(one.written_bytes, one.worker->description(),
                                        memory_rates_.value_or(MemoryRates()), candidate);
  if (!candidate.is_alive()) return;
  if (result.back_to_back)
    refuse_work_that_fades(*result.back_to_back, kind, candidate);
  else if (result.fresh_ns)
    refuse_work_that_fades(*result.fresh_ns, kind, candidate);
}

// Its first execution was verified, as those on other problems.
void Measurer::give_up(UnderWay& one, const RepetitionResult& result) {
  const auto before_samples =
      std::find_if(one.looks.begin(), one.looks.end(), [](const LookedAt& look) { return look.step.timed; });
  if (std::ssize(result.looks) < before_samples - one.looks.begin())
    throw std::logic_error(one.candidate.configuration().name() + " was not verified");
  if (!one.give_up_ns || !(*result.at_least_ns > *one.give_up_ns))
    throw std::out_of_range("nobody asked to give it up");
  one.candidate.give_up(*result.at_least_ns, *one.give_up_ns);
}

void Measurer::judge_look(UnderWay& one, const Look& look, const std::string& doubt) const {
  const LookedAt& of = one.looks.at(look.number);
  const auto is_timed = [](const LookedAt& each) { return each.step.timed; };
  const bool comes_after =
      std::any_of(one.looks.begin(), one.looks.begin() + static_cast<std::ptrdiff_t>(look.number), is_timed);
  const char* const phase = of.step.timed   ? "while"
                            : of.step.again ? "again"
                            : comes_after   ? "after"
                                            : "before";
  const Moment moment{phase, to_text(of.step.problem)};
  const ReferenceProvider::Expected& expected = of.expected;
  const std::string& weakness = doubt.empty() ? expected.weakness : doubt;
  std::optional<Verifier::Found> found;
  if (look.examined) found = tools_.verifier->take(one.number, look.number);
  if (look.examined && !found)
    throw Failure(Outcome::crashed, "nobody compared what was said to be compared");
  for (const auto& [buffer, comparison] : of.comparisons) {
    const auto contents = look.contents.find(buffer);
    if (contents == look.contents.end()) {
      if (!found) throw Failure(Outcome::crashed, "the worker did not hand over the buffer '" + buffer + "'");
      const auto examined =
          std::find_if(found->verifications.begin(), found->verifications.end(),
                       [&, &name = buffer](const auto& each) { return each.buffer == name; });
      if (examined == found->verifications.end())
        throw Failure(Outcome::crashed, "nobody compared the buffer '" + buffer + "'");
      add_verification(one.candidate, moment, *examined, is_range(comparison) ? doubt : weakness);
      continue;
    }
    const std::span<const std::byte> actual = contents->second.bytes();
    Verification verification =
        compare(one.candidate.system->buffers.at(buffer).type,
                is_range(comparison) ? actual : expected.contents->at(buffer).bytes(), actual, comparison);
    verification.buffer = buffer;
    add_verification(one.candidate, moment, std::move(verification), is_range(comparison) ? doubt : weakness);
  }
  const std::string& damage = look.damage.empty() && found ? found->damage : look.damage;
  if (!damage.empty()) throw Failure(Outcome::illegal_access, moment.text() + ", " + damage);
}

}  // namespace tailwave
