#include "measure/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/statistics.h"
#include "core/stopwatch.h"
#include "device/packing.h"
#include "measure/launch_description.h"
#include "measure/sampler.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

std::size_t place_of(const System* system, std::span<const System* const> systems) {
  const auto place = std::find(systems.begin(), systems.end(), system);
  if (place == systems.end()) throw std::logic_error("a worker was not started with this system");
  return static_cast<std::size_t>(place - systems.begin());
}

// Where the device does not say, what is safely more than the last-level cache of anything.
std::int64_t l2_bytes(const DeviceDescription& device) {
  const auto known = device.properties.find("l2_bytes");
  const auto* bytes = known == device.properties.end() ? nullptr : std::get_if<std::int64_t>(&known->second);
  return bytes != nullptr && *bytes > 0 ? *bytes : std::int64_t{256} << 20;
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
        variant_(*wanted.system->find_variant(wanted.configuration.variant)),
        program_(device_.load(wanted.artifact)),
        workspace_(data, *wanted.system, variant_, wanted.configuration.scope()) {}

  [[nodiscard]] std::vector<std::optional<int>> ask_driver() const {
    return resident_blocks(device_, *program_, variant_, wanted_.configuration.scope());
  }

  [[nodiscard]] FreshStart fresh_start(std::uint64_t draw, int sets) const {
    const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
    return workspace_.fresh_start(draw, sets);
  }

  // One untimed execution. Returns the wall-clock time in seconds without the part `finish`.
  double execute(std::uint64_t draw) {
    const FreshStart start = fresh_start(draw, 1);
    const auto begin = std::chrono::steady_clock::now();
    repeat(start, workspace_.plan(), {.timed = false}, 1);
    const double run_s = seconds_since(begin);
    finish();
    return run_s;
  }

  // What makes results of what an execution left.
  void finish() {
    if (!workspace_.finish().empty()) repeat({}, workspace_.finish(), {.timed = false}, 1);
  }

  Sampling take_samples(std::uint64_t draw, double run_s) {
    const MeasureSettings& settings = wanted_.settings;
    RunOptions options{.graph = settings.mode == TimingMode::graph,
                       .flush_cache = settings.cache == CacheState::cold};
    if (settings.cache == CacheState::rotate)
      options.sets = workspace_.rotate(l2_bytes(device_.description()));
    const FreshStart start = fresh_start(draw, options.sets);
    const auto run = [&](int executions, int runs) {
      options.executions = executions;
      return repeat(start, workspace_.launches(), options, runs);
    };
    return sample({wanted_.configuration.name(), run}, {.settings = &settings,
                                                        .repetition = wanted_.repetition,
                                                        .race_to_ns = wanted_.race_to_ns,
                                                        .run_s = run_s});
  }

  // None where the cache holds one set of buffers but not two, so that executions of their own would be slower, or the
  // device has no memory for two. The buffers are left as by one execution on the inputs of the draw, the last of
  // several.
  std::optional<BackToBack> time_back_to_back(std::uint64_t draw) {
    const int sets = sets_alike();
    if (sets < 2) return {};
    try {
      workspace_.use_sets(sets);
      return time_back_to_back(draw, sets);
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::out_of_memory || !device_.usable()) throw;
      workspace_.use_sets(1);
      data_.drop_sets();
      repeat(fresh_start(draw, 1), workspace_.plan(), {.timed = false}, 1);
      return {};
    }
  }

  Look look(std::size_t number) {
    Look look;
    std::vector<Examiner::Shared> shared;
    Reading reading{workspace_.guarded(), {}};
    for (const std::string& name : wanted_.results) {
      const Buffer& buffer = workspace_.buffer(name);
      if (examiner_ != nullptr && buffer.size_bytes() >= Examiner::kFewestBytes)
        shared.push_back({name, data_.share(name), buffer.size_bytes()});
      else
        take(name, look, reading);
    }
    if (!shared.empty() && !examine(number, shared, look))
      for (const Examiner::Shared& one : shared) take(one.buffer, look, reading);
    const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
    look.damage = workspace_.damage_text(device_.read(reading));
    return look;
  }

  [[nodiscard]] std::string damage() {
    return workspace_.damage_text(device_.read({workspace_.guarded(), {}}));
  }

 private:
  BackToBack time_back_to_back(std::uint64_t draw, int sets) {
    constexpr int kTimes = 5;
    RunOptions repeated{.executions = sets, .graph = wanted_.settings.mode == TimingMode::graph},
        own = repeated;
    own.sets = sets;
    // The set that is looked at comes last.
    std::vector<Launch> all = workspace_.launches();
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(workspace_.plan().size()), all.end());
    const auto quicker = [](double& best_ns, const std::vector<RunResult>& results) {
      if (best_ns == 0 || results.front().time_ns < best_ns) best_ns = results.front().time_ns;
    };
    BackToBack times;
    for (int i = 0; i < kTimes; ++i) {
      quicker(times.repeated_ns, repeat(fresh_start(draw, 1), workspace_.plan(), repeated, 1));
      quicker(times.own_ns, repeat(start_of_own(draw, sets), all, own, 1));
    }
    return times;
  }

  // As many sets of buffers as the cache treats as it does one: it holds all, or no part that matters of any.
  [[nodiscard]] int sets_alike() const {
    constexpr std::int64_t kMostSets = 8;
    const std::int64_t cache_bytes = l2_bytes(device_.description()), set_bytes = workspace_.bytes_of_a_set();
    if (set_bytes >= 2 * cache_bytes) return 2;
    return static_cast<int>(std::min(kMostSets, cache_bytes / 2 / set_bytes));
  }

  // The first set as the inputs of the draw have it, each other one as those of a draw that nothing else uses.
  FreshStart start_of_own(std::uint64_t draw, int sets) {
    constexpr std::uint64_t kOthers = 1000;
    const Watch::Scope watched(watch_, Watch::Doing::host_work, kLongestInputsS);
    // One after another: the inputs of one draw may have to go for those of the next.
    for (int set = 1; set < sets; ++set)
      device_.restore(workspace_.restorations(kOthers + static_cast<std::uint64_t>(set), set));
    return {workspace_.restorations(draw, 0), workspace_.prepare()};
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

  // Few bytes travel in the answer.
  void take(const std::string& name, Look& look, Reading& reading) {
    constexpr std::size_t kFew = std::size_t{1} << 20;
    const Buffer& buffer = workspace_.buffer(name);
    Blob& blob = look.contents[name];
    blob = buffer.size_bytes() <= kFew ? Blob(std::vector<std::byte>(buffer.size_bytes()))
                                       : Blob::shared(buffer.size_bytes());
    reading.contents.emplace_back(&buffer, blob.writable());
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

  Executor& device_;
  DeviceData& data_;
  Examiner* examiner_;
  Watch& watch_;
  const Repetition& wanted_;
  const VariantSpec& variant_;
  std::unique_ptr<Program> program_;
  Workspace workspace_;
};

bool is_quicker_than_fresh(const RepetitionResult& result) {
  constexpr double kShare = 0.9;
  return result.fresh_ns && median(counted_times_ns(result.samples)) < kShare * *result.fresh_ns;
}

// Throws Failure; `result` has what was done until then.
void measure_steps(DeviceData& data, Examiner* examiner, Watch& watch, const Repetition& repetition,
                   RepetitionResult& result) {
  data.device().set_deadline_s(repetition.settings.deadline_s);
  Stopwatch loading(result.phases.load);
  Bench bench(data, examiner, watch, repetition);
  if (repetition.asks_driver) result.blocks_per_sm = bench.ask_driver();
  loading.stop();
  double run_s = 0;
  for (const Step& step : repetition.steps) {
    const Stopwatch working(step.timed ? result.phases.measure : result.phases.verify);
    if (step.timed) {
      Sampling sampling = bench.take_samples(step.draw, run_s);
      result.samples = std::move(sampling.samples);
      result.stopped_by = std::move(sampling.stopped_by);
      result.fresh_ns = sampling.fresh_ns;
      if (step.looked_at) {
        if (is_quicker_than_fresh(result)) result.back_to_back = bench.time_back_to_back(step.draw);
        bench.finish();
      }
    } else {
      run_s = bench.execute(step.draw);
    }
    if (!step.looked_at) continue;
    const Look& look = result.looks.emplace_back(bench.look(result.looks.size()));
    if (!look.damage.empty() || !look.passed) return;
  }
  if (repetition.steps.empty() || repetition.steps.back().looked_at) return;
  if (const std::string damage = bench.damage(); !damage.empty())
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
