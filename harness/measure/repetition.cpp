#include "measure/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>

#include "core/random.h"
#include "core/statistics.h"
#include "core/stopwatch.h"
#include "device/packing.h"
#include "measure/draw.h"
#include "measure/launch_description.h"
#include "measure/launch_plan.h"
#include "measure/least_time.h"
#include "measure/sampler.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

std::size_t place_of(const System* system, std::span<const System* const> systems) {
  const auto place = std::find(systems.begin(), systems.end(), system);
  if (place == systems.end()) throw std::logic_error("a worker was not started with this system");
  return static_cast<std::size_t>(place - systems.begin());
}

VariantSpec variant_of(const Repetition& wanted) {
  const VariantSpec& variant = *wanted.system->find_variant(wanted.configuration.variant);
  return wanted.sms ? with_sms(variant, *wanted.sms) : variant;
}

// A configuration's code and memory on a device.
class Bench {
 public:
  Bench(DeviceData& data, Examiner* examiner, Watch& watch, const Repetition& wanted)
      : device_(data.device()),
        data_(data),
        examiner_(wanted.verifier ? examiner : nullptr),
        watch_(watch),
        wanted_(wanted),
        variant_(variant_of(wanted)) {
    use_pes(evaluate_pes(variant_, wanted.configuration.scope()));
    program_ = device_.load(wanted.artifact);
  }

  // The configuration's problem, but for these quantities, is what the following is about.
  void use(const Values& other_quantities) { use(other_quantities, wanted_.inputs); }
  void use(const Values& other_quantities, const MadeInputs& inputs) {
    if (workspace_ && other_quantities == other_quantities_) return;
    Values scope = wanted_.configuration.scope();
    for (const auto& [name, value] : other_quantities) scope[name] = value;
    workspace_.reset();
    data_.use(inputs);
    workspace_.emplace(data_, *wanted_.system, variant_, scope);
    other_quantities_ = other_quantities;
  }

  void ask_driver(RepetitionResult& result) const {
    const Values scope = wanted_.configuration.scope();
    result.granted_sms = granted_sms(device_, variant_, scope);
    result.blocks_per_sm = resident_blocks(device_, *program_, variant_, scope);
    result.active_clusters = active_clusters(device_, *program_, variant_, scope);
  }

  [[nodiscard]] bool is_program() const { return variant_.is_program(); }

  // One execution that is no sample. Its times are without the part `finish`.
  struct Execution {
    double run_s = 0;     // wall-clock time, with what prepares it
    double least_ns = 0;  // its own, without waits for other programs; 0 where it was not timed
  };
  Execution execute(std::uint64_t draw, bool timed = false) {
    const FreshStart start = fresh_start(draw, 1);
    const auto begin = std::chrono::steady_clock::now();
    const RunResult run = repeat(start, workspace_->plan(), {.timed = timed}, 1).front();
    const double run_s = seconds_since(begin);
    finish();
    return {run_s, timed ? std::max(0.0, run.time_ns - run.waited_ns) : 0};
  }

  // What makes results of what an execution left.
  void finish() {
    if (!workspace_->finish().empty()) repeat({}, workspace_->finish(), {.timed = false}, 1);
  }

  // Every run begins with inputs that the code has never seen, but for one sample that is looked at, which begins with
  // those of the draw: which, is random. It is none where a sample is several executions: they do not leave what one
  // does.
  Sampling take_samples(const Step& step, std::size_t number, double run_s) {
    const MeasureSettings& settings = wanted_.settings;
    options_ = {.graph = settings.mode == TimingMode::graph,
                .flush_cache = settings.cache == CacheState::cold};
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

  // At what a sample left, or an execution that is done like one.
  Look look_at_samples(std::uint64_t draw, std::size_t number) {
    if (look_at_sample_) return *std::exchange(look_at_sample_, std::nullopt);
    std::optional<double> time_ns;
    if (!left_by_draw_) {
      options_.executions = 1;
      time_ns = repeat(fresh_start(draw, options_.sets), workspace_->launches(), options_, 1).front().time_ns;
    }
    finish();
    Look left = look(number);
    if (wanted_.settings.mode == TimingMode::isolated) left.time_ns = time_ns;
    return left;
  }

  // None where the cache holds one set of buffers but not two, so that executions of their own would be slower, or the
  // device has no memory for two. Where there is one, what is left is what the last of several executions left, which
  // began with the inputs of the draw. `samples` are those whose times are in question.
  std::optional<BackToBack> time_back_to_back(std::uint64_t draw, const std::vector<Sample>& samples) {
    const int sets = sets_alike();
    if (sets < 2) return {};
    try {
      workspace_->use_sets(sets);
      BackToBack times = time_series([&] { return time_repeated_and_own(draw, sets, sets); });
      // Code may need more executions than that until it knows an input, or has nothing left to do; where it does nothing
      // for any input then, what is left tells.
      int many = samples.back().executions;
      if (many > sets && times.repeated_ns >= times.least_ns &&
          median(counted_times_ns(samples)) < times.least_ns)
        times = time_series([&] {
          return is_beyond_cache() ? time_after_many(draw, many, sets)
                                   : time_repeated_and_own(draw, many, sets);
        });
      else
        many = 1;
      leave_what_the_draw_leaves(draw, many, sets);
      return times;
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::out_of_memory || !device_.usable()) throw;
      data_.drop_sets();
      options_.sets = 1;
      workspace_->use_sets(1);
      return {};
    }
  }

  Look look(std::size_t number) { return look(number, wanted_.results); }

  Look look(std::size_t number, const std::vector<std::string>& results) {
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

  [[nodiscard]] std::string damage() { return read({}); }

 private:
  void use_pes(int pes) {
    const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
    data_.use_pes(pes);
  }

  [[nodiscard]] RunOptions back_to_back(int executions, int sets) const {
    return {.executions = executions, .sets = sets, .graph = wanted_.settings.mode == TimingMode::graph};
  }

  // Anew where more executions take no longer than fewer: another program had the GPU in between.
  template <class Series>
  BackToBack time_series(const Series& time) {
    constexpr int kMostSeries = 3;
    BackToBack times = time();
    for (int i = 1; i < kMostSeries && std::min(times.own_ns, times.repeated_ns) <= 0; ++i) times = time();
    return times;
  }

  // Of all executions of a run that begins with inputs which the code has never seen.
  double time_of(FreshStart& start, std::span<const Launch> launches, const RunOptions& options) {
    begin_with_others(start, 1);
    return repeat(start, launches, options, 1).front().time_ns * options.executions;
  }
  static void keep_quicker(double& best_ns, double time_ns) {  // 0: none yet
    if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
  }

  // `many` executions on one set of buffers, and one on each of `sets`, in turns: the quickest of each. On a GPU without
  // what the start takes, a graph's say: that is what half as many take beyond half.
  BackToBack time_repeated_and_own(std::uint64_t draw, int many, int sets) {
    const bool has_start = device_.description().kind == DeviceKind::cuda;
    const int half = sets / 2;
    FreshStart one = fresh_start(draw, 1), several = fresh_start(draw, sets);
    double many_ns = 0, half_ns = 0, all_ns = 0;
    for (int i = 0; i < kTimesOfEach; ++i) {
      keep_quicker(many_ns, time_of(one, workspace_->plan(), back_to_back(many, 1)));
      if (has_start)
        keep_quicker(half_ns, time_of(several, workspace_->launches(), back_to_back(half, sets)));
      keep_quicker(all_ns, time_of(several, workspace_->launches(), back_to_back(sets, sets)));
    }
    const double start_ns = std::clamp(all_ns - (all_ns - half_ns) / (sets - half) * sets, 0.0, half_ns);
    const double own_ns = (all_ns - start_ns) / sets;
    return {.repeated_ns = (many_ns - start_ns) / many,
            .own_ns = own_ns,
            .least_ns = least_share() * own_ns,
            .repeated = many,
            .own = sets};
  }

  // The same where a set is larger than the cache, with what is one's own after `many` on another set, chosen at random: so
  // the cache is as executions leave it, which what fills buffers does not. A softmax of 16384 x 4097 that reads its rows
  // twice and asks for them to be evicted first takes 312 us on an H100 after the fills, and 211 after others of its kind.
  // Of the repeated ones all count, or the second half, whichever is quicker; of the differences that tell what an own one
  // takes the median is said, and the least one is held against them.
  BackToBack time_after_many(std::uint64_t draw, int many, int sets) {
    const int half = many / 2, further = sets - 1;
    const int first = static_cast<int>(std::random_device()() % static_cast<unsigned>(sets));
    const std::vector<Launch> round = round_of_sets(first, many);
    const std::span<const Launch> plan = std::span(round).first(workspace_->plan().size());
    FreshStart start = fresh_start(draw, sets);
    double half_ns = 0, many_ns = 0;
    std::vector<double> own_ns;
    for (int i = 0; i < kTimesOfEach; ++i) {
      keep_quicker(half_ns, time_of(start, plan, {.executions = half}));
      const double repeated_ns = time_of(start, plan, {.executions = many});
      keep_quicker(many_ns, repeated_ns);
      const double all_ns = time_of(start, round, {.executions = many + further, .sets = many + further});
      own_ns.push_back((all_ns - repeated_ns) / further);
    }
    return {.repeated_ns = std::min(many_ns / many, (many_ns - half_ns) / (many - half)),
            .own_ns = median(own_ns),
            .least_ns = least_share() * *std::ranges::min_element(own_ns),
            .repeated = many,
            .own = further};
  }

  // `many` executions on this set, and then one on each other in their order.
  [[nodiscard]] std::vector<Launch> round_of_sets(int first, int many) const {
    const std::vector<Launch>& all = workspace_->launches();
    const std::ptrdiff_t length = std::ssize(workspace_->plan());
    const auto begin = all.begin() + first * length;
    std::vector<Launch> round;
    round.reserve(all.size() + static_cast<std::size_t>((many - 1) * length));
    for (int i = 0; i < many; ++i) round.insert(round.end(), begin, begin + length);
    round.insert(round.end(), begin + length, all.end());
    round.insert(round.end(), all.begin(), begin);
    return round;
  }

  // Of the time of an execution on inputs of its own, where the same work takes at least that much. A core's own caches
  // hold one set of buffers better than several, and a CPU learns the branches of one input; a step in place may have
  // less to do on what it left, as particles that have moved apart.
  [[nodiscard]] double least_share() const {
    const auto is_output = [&](const auto& compared) {
      return wanted_.system->buffers.at(compared.first).output_only;
    };
    const bool leaves_the_same_work = std::ranges::all_of(wanted_.system->reference.compare, is_output);
    if (device_.description().kind != DeviceKind::cuda || !leaves_the_same_work) return 0.5;
    return 0.9 * (1 - share_left_in_cache());
  }

  // Of a set that is larger than the cache, what an execution may find there of the one before: on an H100 a softmax of 537 MB
  // that reads its rows twice took 14 % less on the set of the one before, with a cache of 50 MB.
  [[nodiscard]] double share_left_in_cache() const {
    constexpr double kMost = 0.25;
    const auto cache = static_cast<double>(l2_bytes(device_.description())),
               set = static_cast<double>(workspace_->bytes_of_a_set());
    return set < 2 * cache ? 0 : std::min(kMost, cache / set);
  }

  // After an execution on each of the sets, `many` on the first of them, that of the draw last.
  void leave_what_the_draw_leaves(std::uint64_t draw, int many, int sets) {
    const int executions = many + sets - 1;
    repeat(fresh_start(draw, sets), round_of_sets(1, many), back_to_back(executions, executions), 1);
    left_by_draw_ = true;
  }

  [[nodiscard]] bool is_beyond_cache() const {
    return workspace_->bytes_of_a_set() >= 2 * l2_bytes(device_.description());
  }

  // As many sets of buffers as the cache treats as it does one: it holds all, or no part that matters of any.
  [[nodiscard]] int sets_alike() const {
    constexpr std::int64_t kMostSets = 8;
    const std::int64_t cache_bytes = l2_bytes(device_.description()),
                       set_bytes = workspace_->bytes_of_a_set();
    if (set_bytes == 0) return static_cast<int>(kMostSets);  // the cache has nothing of them
    if (is_beyond_cache()) return 2;
    return static_cast<int>(std::min(kMostSets, cache_bytes / 2 / set_bytes));
  }

  [[nodiscard]] FreshStart fresh_start(std::uint64_t draw, int sets) const {
    const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
    return workspace_->fresh_start(draw, sets);
  }

  // The first `others` of the runs begin with inputs that the code has never seen.
  std::vector<RunResult> run_samples(FreshStart& start, int runs, int others) {
    begin_with_others(start, others);
    return repeat(start, workspace_->launches(), options_, runs);
  }

  // So many of the next runs, with draws that nobody has used or can tell.
  void begin_with_others(FreshStart& start, int runs) {
    start.others = runs;
    start.other_draws = split_mix(others_ += kGoldenGamma);
  }

  std::vector<RunResult> repeat(const FreshStart& start, std::span<const Launch> launches,
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

  using Contents = std::vector<std::pair<const Buffer*, std::span<std::byte>>>;

  // Brings them here. Empty, or which buffer's guard words were overwritten and how.
  [[nodiscard]] std::string read(Contents contents) {
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
  void take(const std::string& name, Look& look, Contents& contents) {
    constexpr std::size_t kFew = std::size_t{1} << 20;
    const Buffer& buffer = workspace_->buffer(name);
    Blob& blob = look.contents[name];
    blob = buffer.size_bytes() <= kFew ? Blob(std::vector<std::byte>(buffer.size_bytes()))
                                       : Blob::shared(buffer.size_bytes());
    contents.emplace_back(&buffer, blob.writable());
  }

  // False if it cannot look at them.
  bool examine(std::size_t number, const std::vector<Examiner::Shared>& shared, Look& look) {
    for (const Examiner::Shared& one : shared)
      if (one.handle.empty()) return false;
    const Watch::Scope watched(watch_, Watch::Doing::host_work, 2 * Examiner::kLongestS);
    const Examiner::Answer answer = examiner_->examine(wanted_.number, number, shared);
    look.examined = answer != Examiner::Answer::cannot_look;
    look.passed = answer != Examiner::Answer::failed;
    return look.examined;
  }

  static constexpr int kTimesOfEach = 5;

  Executor& device_;
  DeviceData& data_;
  Examiner* examiner_;
  Watch& watch_;
  const Repetition& wanted_;
  const VariantSpec variant_;
  std::unique_ptr<Program> program_;
  std::optional<Workspace> workspace_;
  Values other_quantities_;    // of the workspace
  RunOptions options_;         // of samples
  bool left_by_draw_ = false;  // the last of several back to back began with the inputs of the draw
  std::optional<Look> look_at_sample_;
  std::uint64_t others_ = random_draw();  // what draws that nobody has used are made of
};

bool is_quicker_than_fresh(const RepetitionResult& result) {
  constexpr double kShare = 0.9;
  return result.fresh_ns && median(counted_times_ns(result.samples)) < kShare * *result.fresh_ns;
}

// Of the last samples: a time that the execution which was looked at does not have.
bool is_in_doubt(const RepetitionResult& result, DeviceKind kind) {
  return !result.looks.empty() && result.looks.back().time_ns &&
         is_in_doubt(median(counted_times_ns(result.samples)), *result.looks.back().time_ns, kind);
}

Look look_at_other_problem(Bench& bench, const Step& step, std::size_t number) {
  try {
    bench.use(step.problem, step.inputs);
    bench.execute(step.draw);
    return bench.look(number, step.results);
  } catch (const Failure& failure) {
    throw Failure(failure.outcome(), fmt::format("with {}: {}", to_text(step.problem), failure.what()));
  }
}

// What it left, where that is looked at. `first`: the last execution of the configuration's problem that is no sample;
// it is timed if that may end all.
std::optional<Look> take_step(Bench& bench, const Step& step, std::size_t number, bool may_give_up,
                              Bench::Execution& first, RepetitionResult& result) {
  if (!step.problem.empty()) return look_at_other_problem(bench, step, number);
  bench.use({});
  if (step.timed) {
    Sampling sampling = bench.take_samples(step, number, first.run_s);
    result.samples = std::move(sampling.samples);
    result.stopped_by = std::move(sampling.stopped_by);
    result.fresh_ns = sampling.fresh_ns;
    if (!step.looked_at) return std::nullopt;
    if (is_quicker_than_fresh(result))
      result.back_to_back = bench.time_back_to_back(step.draw, result.samples);
    return bench.look_at_samples(step.draw, number);
  }
  first = bench.execute(step.draw, may_give_up);
  return step.looked_at ? std::optional(bench.look(number)) : std::nullopt;
}

// What an execution takes at least, where that is more than `limit_ns`. A short first one says little: what a device
// does once, such as loading code or touching memory for the first time, may be most of it, so that a second decides. It
// always does of programs, whose start reads files.
std::optional<double> least_beyond(double limit_ns, Bench& bench, std::uint64_t draw, double first_ns) {
  constexpr double kSureNs = 200e6;
  if (first_ns <= limit_ns) return {};
  const double least_ns = first_ns >= kSureNs && !bench.is_program()
                              ? first_ns
                              : std::min(first_ns, bench.execute(draw, true).least_ns);
  return least_ns > limit_ns ? std::optional(least_ns) : std::nullopt;
}

// Throws Failure; `result` has what was done until then.
void measure_steps(DeviceData& data, Examiner* examiner, Watch& watch, const Repetition& repetition,
                   RepetitionResult& result) {
  data.device().set_deadline_s(repetition.settings.deadline_s);
  Stopwatch loading(result.phases.load);
  std::optional<Bench> bench(std::in_place, data, examiner, watch, repetition);
  if (repetition.asks_driver) bench->ask_driver(result);
  if (repetition.steps.empty() || repetition.steps.front().problem.empty()) bench->use({});
  loading.stop();
  Bench::Execution first;
  bool may_give_up = repetition.give_up_ns.has_value();
  std::size_t looks = 0;
  bool is_checked = true;  // the guard words, since the last execution
  for (const Step& step : repetition.steps) {
    const std::size_t number = step.looked_at ? looks++ : looks;
    if (step.in_doubt) {
      if (!is_in_doubt(result, data.device().description().kind)) continue;
      bench.reset();
      bench.emplace(data, examiner, watch, repetition);
    }
    const Stopwatch working(step.timed ? result.phases.measure : result.phases.verify);
    std::optional<Look> look = take_step(*bench, step, number, may_give_up, first, result);
    is_checked = look && !step.timed;  // among samples the look comes before some of them
    if (!look) continue;
    const bool go_on = look->damage.empty() && look->passed;
    result.looks.push_back(*std::move(look));
    if (!go_on) return;
    if (!may_give_up || step.timed || !step.problem.empty()) continue;
    may_give_up = false;
    is_checked = first.least_ns <= *repetition.give_up_ns;
    result.at_least_ns = least_beyond(*repetition.give_up_ns, *bench, step.draw, first.least_ns);
    if (result.at_least_ns) break;
  }
  if (is_checked) return;
  if (const std::string damage = bench->damage(); !damage.empty())
    throw Failure(Outcome::illegal_access, "while timing, " + damage);
}

RepetitionResult try_to_measure(DeviceData& data, Examiner* examiner, Watch& watch,
                                const Repetition& repetition) {
  RepetitionResult result;
  try {
    measure_steps(data, examiner, watch, repetition, result);
  } catch (const Failure& failure) {
    result.outcome = failure.outcome();
    result.detail = failure.what();
  } catch (const std::bad_alloc&) {
    result.outcome = Outcome::out_of_memory;
    result.detail = "the device's worker process has no more memory";
  } catch (const std::exception& error) {
    result.outcome = Outcome::crashed;
    result.detail = error.what();
  }
  return result;
}

}  // namespace

void put(Packet& packet, const Repetition& repetition, std::span<const System* const> systems) {
  packet << place_of(repetition.system, systems) << repetition;
}

Repetition take_repetition(Packet& packet, std::span<const System* const> systems) {
  const auto place = take<std::size_t>(packet);
  if (place >= systems.size()) throw std::out_of_range("a system that the worker does not have");
  auto repetition = take<Repetition>(packet);
  repetition.system = systems[place];
  return repetition;
}

bool is_in_doubt(double median_ns, double looked_at_ns, DeviceKind kind) {
  // Other work on a CPU makes single executions longer.
  const double share = kind == DeviceKind::cuda ? 0.8 : 0.5;
  return median_ns < share * looked_at_ns;
}

RepetitionResult measure_repetition(DeviceData& data, Examiner* examiner, Watch& watch,
                                    const Repetition& repetition) {
  // On the CPU, loading runs what a library does at first, and unloading what it does at last.
  constexpr double kLongestLoadS = 60;
  const double load_limit_s =
      data.device().description().kind == DeviceKind::cpu ? repetition.settings.deadline_s : kLongestLoadS;
  const Watch::Scope watched(watch, Watch::Doing::host_work, load_limit_s);
  if (repetition.fresh_data) data.drop();
  RepetitionResult result = try_to_measure(data, examiner, watch, repetition);
  // What earlier configurations left may be in the way.
  if (result.outcome == Outcome::out_of_memory && data.device().usable() && data.drop())
    result = try_to_measure(data, examiner, watch, repetition);
  const bool spoiled = std::any_of(result.looks.begin(), result.looks.end(),
                                   [](const Look& look) { return !look.damage.empty() || !look.passed; });
  if (spoiled || result.outcome != Outcome::correct) data.drop();
  return result;
}

}  // namespace tailwave
