#include "measure/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>

#include "core/random.h"
#include "core/stopwatch.h"
#include "measure/draw.h"
#include "measure/launch_description.h"
#include "measure/launch_plan.h"
#include "measure/least_time.h"

namespace tailwave {
namespace {

VariantSpec variant_of(const Repetition& wanted) {
  const VariantSpec& variant = *wanted.system->find_variant(wanted.configuration.variant);
  return wanted.sms ? with_sms(variant, *wanted.sms) : variant;
}

}  // namespace

Bench::Bench(DeviceData& data, Examiner* examiner, Watch& watch, const Repetition& wanted)
    : device_(data.device()),
      data_(data),
      examiner_(wanted.verifier ? examiner : nullptr),
      watch_(watch),
      wanted_(wanted),
      variant_(variant_of(wanted)),
      others_(random_draw()) {
  use_pes(evaluate_pes(variant_, wanted.configuration.scope()));
  program_ = device_.load(wanted.artifact);
}

void Bench::use(const Values& other_quantities, const MadeInputs& inputs) {
  if (workspace_ && other_quantities == other_quantities_) return;
  Values scope = wanted_.configuration.scope();
  for (const auto& [name, value] : other_quantities) scope[name] = value;
  workspace_.reset();
  data_.use(inputs);
  if (other_quantities.empty() && wanted_.places_anew) data_.place_anew();
  workspace_.emplace(data_, *wanted_.system, variant_, scope);
  other_quantities_ = other_quantities;
}

void Bench::ask_driver(RepetitionResult& result) const {
  const Values scope = wanted_.configuration.scope();
  result.granted_sms = granted_sms(device_, variant_, scope);
  result.blocks_per_sm = resident_blocks(device_, *program_, variant_, scope);
  result.active_clusters = active_clusters(device_, *program_, variant_, scope);
}

Bench::Execution Bench::execute(std::uint64_t draw, bool timed) {
  const FreshStart start = fresh_start(draw, 1);
  const auto begin = std::chrono::steady_clock::now();
  const RunResult run = repeat(start, workspace_->plan(), {.timed = timed}, 1).front();
  const double run_s = seconds_since(begin);
  finish();
  return {run_s, timed ? std::max(0.0, run.time_ns - run.waited_ns) : 0};
}

// What makes results of what an execution left.
void Bench::finish() {
  if (!workspace_->finish().empty()) repeat({}, workspace_->finish(), {.timed = false}, 1);
}

Sampling Bench::take_samples(const Step& step, std::size_t number, double run_s) {
  const MeasureSettings& settings = wanted_.settings;
  options_ = {.graph = settings.mode == TimingMode::graph, .flush_cache = settings.cache == CacheState::cold};
  if (settings.cache == CacheState::rotate)
    options_.sets = workspace_->rotate(l2_bytes(device_.description()));
  const bool looks = step.looked_at && settings.mode == TimingMode::isolated;
  const auto samples = static_cast<unsigned>(std::max(1, settings.samples));
  int until_look =
      looks ? std::max(1, settings.warmup) + 1 + static_cast<int>(std::random_device()() % samples) : 0;
  FreshStart start = fresh_start(step.draw, options_.sets);
  const auto run = [&](int executions, int runs) {
    options_.executions = executions;
    std::vector<RunResult> results;
    if (until_look > 0 && until_look <= runs) {
      results = run_samples(start, until_look, until_look - 1);
      finish();
      look_at_sample_ = look(number);
      look_at_sample_->time_ns = results.back().time_ns;
    }
    const int left = runs - static_cast<int>(results.size());
    until_look -= runs;
    if (left > 0) std::ranges::move(run_samples(start, left, left), std::back_inserter(results));
    return results;
  };
  return sample({wanted_.configuration.name(), run}, {.settings = &settings,
                                                      .repetition = wanted_.repetition,
                                                      .race_to_ns = wanted_.race_to_ns,
                                                      .run_s = run_s});
}

Look Bench::look_at_samples(std::uint64_t draw, std::size_t number, bool left_by_draw) {
  if (look_at_sample_) return *std::exchange(look_at_sample_, std::nullopt);
  std::optional<double> time_ns;
  if (!left_by_draw) {
    options_.executions = 1;
    time_ns = repeat(fresh_start(draw, options_.sets), workspace_->launches(), options_, 1).front().time_ns;
  }
  finish();
  Look left = look(number);
  if (wanted_.settings.mode == TimingMode::isolated) left.time_ns = time_ns;
  return left;
}

Look Bench::look(std::size_t number, const std::vector<std::string>& results) {
  Look look{.number = number};
  std::vector<Examiner::Shared> shared;
  Contents contents;
  for (const std::string& name : results) {
    const Buffer& buffer = workspace_->buffer(name);
    if (examiner_ != nullptr && buffer.size_bytes() >= Examiner::kFewestBytes)
      shared.push_back({name, data_.share(name), buffer.size_bytes()});
    else
      take(name, look, contents);
  }
  if (!shared.empty() && !examine(number, shared, look))
    for (const Examiner::Shared& one : shared) take(one.buffer, look, contents);
  const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
  look.damage = read(std::move(contents));
  return look;
}

bool Bench::go_on_with_one_set() {
  if (!device_.usable()) return false;
  data_.drop_sets();
  options_.sets = 1;
  workspace_->use_sets(1);
  return true;
}

double Bench::time_ns(FreshStart& start, std::span<const Launch> launches, const RunOptions& options) {
  begin_with_others(start, 1);
  return repeat(start, launches, options, 1).front().time_ns * options.executions;
}

void Bench::use_pes(int pes) {
  const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
  data_.use_pes(pes);
}

FreshStart Bench::fresh_start(std::uint64_t draw, int sets) const {
  const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
  return workspace_->fresh_start(draw, sets);
}

// The first `others` of the runs begin with inputs that the code has never seen.
std::vector<RunResult> Bench::run_samples(FreshStart& start, int runs, int others) {
  begin_with_others(start, others);
  return repeat(start, workspace_->launches(), options_, runs);
}

// So many of the next runs, with draws that nobody has used or can tell.
void Bench::begin_with_others(FreshStart& start, int runs) {
  start.others = runs;
  start.other_draws = split_mix(others_ += kGoldenGamma);
}

std::vector<RunResult> Bench::repeat(const FreshStart& start, std::span<const Launch> launches,
                                     const RunOptions& options, int times) {
  const double deadline_s = wanted_.settings.deadline_s;
  const double limit_s = times * (start.prepare.empty() ? 1 : 2) * deadline_s;
  const Watch::Scope watched(watch_, Watch::Doing::kernels, limit_s);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<RunResult> results = device_.repeat(*program_, start, launches, options, times);
  if (const double seconds = seconds_since(begin); seconds > limit_s)
    throw Failure(Outcome::timeout, fmt::format("took {:.3g} s, longer than {:g} s", seconds, limit_s));
  return results;
}

// Brings them here. Empty, or which buffer's guard words were overwritten and how.
std::string Bench::read(Contents contents) {
  const std::vector<DeviceData::Guarded> guarded = data_.guarded();
  Reading reading{{}, std::move(contents)};
  for (const DeviceData::Guarded& one : guarded) reading.guarded.push_back(one.buffer);
  const std::vector<std::string> damage = device_.read(reading);
  const auto found = std::ranges::find_if(damage, [](const std::string& text) { return !text.empty(); });
  if (found == damage.end()) return "";
  const DeviceData::Guarded& one = guarded[static_cast<std::size_t>(found - damage.begin())];
  return fmt::format("guard words of {} overwritten: {}", one.name, *found);
}

// Few bytes travel in the answer.
void Bench::take(const std::string& name, Look& look, Contents& contents) {
  constexpr std::size_t kFew = std::size_t{1} << 20;
  const Buffer& buffer = workspace_->buffer(name);
  Blob& blob = look.contents[name];
  blob = buffer.size_bytes() <= kFew ? Blob(std::vector<std::byte>(buffer.size_bytes()))
                                     : Blob::shared(buffer.size_bytes());
  contents.emplace_back(&buffer, blob.writable());
}

// False if it cannot look at them.
bool Bench::examine(std::size_t number, const std::vector<Examiner::Shared>& shared, Look& look) {
  for (const Examiner::Shared& one : shared)
    if (one.handle.empty()) return false;
  const Watch::Scope watched(watch_, Watch::Doing::host_work, 2 * Examiner::kLongestS);
  const Examiner::Answer answer = examiner_->examine(wanted_.number, number, shared);
  look.examined = answer != Examiner::Answer::cannot_look;
  look.passed = answer != Examiner::Answer::failed;
  return look.examined;
}

}  // namespace tailwave
