#include "measure/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/statistics.h"
#include "core/stopwatch.h"
#include "device/packing.h"
#include "measure/back_to_back.h"
#include "measure/bench.h"

namespace tailwave {
namespace {

std::size_t place_of(const System* system, std::span<const System* const> systems) {
  const auto place = std::find(systems.begin(), systems.end(), system);
  if (place == systems.end()) throw std::logic_error("a worker was not started with this system");
  return static_cast<std::size_t>(place - systems.begin());
}

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
    bool left_by_draw = false;
    if (is_quicker_than_fresh(result)) {
      result.back_to_back = time_back_to_back(bench, step.draw, result.samples);
      left_by_draw = result.back_to_back.has_value();
    }
    return bench.look_at_samples(step.draw, number, left_by_draw);
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
  const auto check = [&] {
    if (const std::string damage = bench->damage(); !damage.empty())
      throw Failure(Outcome::illegal_access, "while timing, " + damage);
  };
  for (const Step& step : repetition.steps) {
    const std::size_t number = step.looked_at ? looks++ : looks;
    if (step.in_doubt) {
      if (!is_in_doubt(result, data.device().description().kind)) continue;
      if (!is_checked) check();  // the memory may go
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
  if (!is_checked) check();
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
  // What earlier configurations left may be in the way, or unused bytes before buffers.
  if (result.outcome == Outcome::out_of_memory && data.device().usable() && data.drop()) {
    Repetition again = repetition;
    again.places_anew = false;
    result = try_to_measure(data, examiner, watch, again);
  }
  const bool spoiled = std::any_of(result.looks.begin(), result.looks.end(),
                                   [](const Look& look) { return !look.damage.empty() || !look.passed; });
  if (spoiled || result.outcome != Outcome::correct) data.drop();
  return result;
}

}  // namespace tailwave
