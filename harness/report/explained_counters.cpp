#include "report/explained_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "report/explained_factors.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr double kUsed = 0.1;     // of a memory's peak, from which its bytes are spoken of
constexpr double kAgrees = 0.1;   // of the counted ratio with the measured one
constexpr double kTooLong = 1.2;  // of the counted times together, over the measured one

constexpr std::array kKinds{"fp32",       "fp64",    "fp16",   "integer", "bit",
                            "conversion", "control", "memory", "uniform", "inter_thread_communication",
                            "misc"};
constexpr std::array kReasons{"long_scoreboard",  "wait",
                              "short_scoreboard", "math_pipe_throttle",
                              "barrier",          "lg_throttle",
                              "mio_throttle",     "not_selected",
                              "no_instruction",   "branch_resolving",
                              "membar",           "drain",
                              "tex_throttle",     "dispatch_stall",
                              "imc_miss",         "gmma",
                              "sleeping",         "misc"};

std::string kind_metric(const std::string& kind) {
  return "smsp__sass_thread_inst_executed_op_" + kind + "_pred_on.sum";
}

// "waiting for L1, L2 or DRAM"
std::string meaning(const std::string& metric) {
  const auto known = std::ranges::find(counter_metrics(), metric, &CounterMetric::name);
  return known == counter_metrics().end() ? "" : std::string(known->what);
}

std::string times(double ratio) {
  return format_number(ratio);
}

std::optional<double> sum_of(const ExplainedSide& side, const std::string& metric) {
  return side.counted ? side.counted->sum(metric) : std::nullopt;
}

class CounterClauses {
 public:
  explicit CounterClauses(ExplanationDraft& draft)
      : draft_(draft), factors_a_(counted_factors(draft.a())), factors_b_(counted_factors(draft.b())) {}

  void write() {
    counted_times();
    instructions();
    rate();
    memory("dram", "DRAM", {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
           {"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
    memory("l2", "L2", {"lts__t_bytes.sum"}, {});
    local_memory();
    hardest();
  }

 private:
  using Unit = ExplainedUnit;

  [[nodiscard]] const CountedFactors& of_fast() const {
    return draft_.a_is_faster() ? factors_a_ : factors_b_;
  }
  [[nodiscard]] const CountedFactors& of_slow() const {
    return draft_.a_is_faster() ? factors_b_ : factors_a_;
  }
  [[nodiscard]] std::optional<Two> both(std::optional<double> CountedFactors::*member) const {
    return two(of_fast().*member, of_slow().*member);
  }
  [[nodiscard]] std::optional<Two> sums(const std::string& metric) const {
    return two(sum_of(draft_.fast(), metric), sum_of(draft_.slow(), metric));
  }
  ExplainedNumber* add(std::string quantity, Unit unit, std::optional<double> CountedFactors::*member) {
    return draft_.add(std::move(quantity), unit, factors_a_.*member, factors_b_.*member);
  }

  void counted_times();
  [[nodiscard]] std::string factors(const Two& time) const;
  void instructions();
  void rate();
  std::string reason_that_differs();
  void memory(const std::string& unit, const std::string& name, const std::vector<std::string>& read,
              const std::vector<std::string>& written);
  void local_memory();
  void hardest();

  ExplanationDraft& draft_;
  const CountedFactors factors_a_, factors_b_;
};

void CounterClauses::counted_times() {
  ExplainedNumber* const number =
      add("time of the counted launches", Unit::time_ns, &CountedFactors::time_ns);
  const auto time = both(&CountedFactors::time_ns);
  if (!time || time->fast <= 0 || time->slow <= 0) return;
  const auto is_of_another = [](const ExplainedSide& side, double counted_ns) {
    return side.counted->some_are_alike && counted_ns > kTooLong * side.median_ns;
  };
  const bool others_differ =
      is_of_another(draft_.fast(), time->fast) || is_of_another(draft_.slow(), time->slow);
  // Half of the difference, as ratios multiply, or one execution's jitter would be taken apart.
  draft_.counters_explain = !others_differ && time->gain() > 1 + kExplainedMargin &&
                            2 * std::log(time->gain()) >= std::log(draft_.ratio);
  if (!draft_.counters_explain) {
    const std::string took = against(Unit::time_ns, *time);
    draft_.say(
        number,
        others_differ
            ? fmt::format("Its launches would take {} if all that are alike took what the counted one took "
                          "alone: others are shorter, or faster in the plan, and so counters do not explain "
                          "the difference.",
                          took)
            : fmt::format("Counted alone, its launches take {}: counters do not show the difference, and so "
                          "do not explain it.",
                          took));
    return;
  }
  std::string text = fmt::format("Counted alone, its launches take {}", against(Unit::time_ns, *time));
  text += factors(*time) + ".";
  if (differ(time->gain(), draft_.ratio, kAgrees))
    text += fmt::format(
        " These are {} times as fast, not {} times: launches that are counted one by one need not take what "
        "they take in the plan that was timed.",
        times(time->gain()), times(draft_.ratio));
  draft_.say(number, text);
}

// What the ratio of the counted times is made of.
std::string CounterClauses::factors(const Two& time) const {
  const auto instructions = both(&CountedFactors::instructions), sms = both(&CountedFactors::busy_sms),
             ipc = both(&CountedFactors::busy_ipc), clock = both(&CountedFactors::clock_mhz);
  if (!instructions || !sms || !ipc || !clock || instructions->fast <= 0 || sms->slow <= 0 ||
      ipc->slow <= 0 || clock->slow <= 0)
    return "";
  return fmt::format(
      ": {} = {} from instructions ({}) x {} from SMs that have warps ({} of the cycles) x {} from "
      "instructions a cycle of such an SM ({}) x {} from the clock ({})",
      times(time.gain()), times(instructions->gain()), against(Unit::count, *instructions),
      times(sms->fast / sms->slow), against(Unit::share, *sms), times(ipc->fast / ipc->slow),
      against(Unit::number, *ipc), times(clock->fast / clock->slow), against(Unit::clock_mhz, *clock));
}

// The kind that differs most.
void CounterClauses::instructions() {
  add(kInstructions, Unit::count, &CountedFactors::instructions);
  std::string most;
  double difference = -1;
  for (const char* kind : kKinds) {
    const auto one = sums(kind_metric(kind));
    if (!one) return;
    if (std::abs(one->fast - one->slow) <= difference) continue;
    difference = std::abs(one->fast - one->slow);
    most = kind;
  }
  const std::string metric = kind_metric(most);
  const Two both = *sums(metric);
  ExplainedNumber* const number = draft_.add(most + " instructions of threads", Unit::count,
                                             sum_of(draft_.a(), metric), sum_of(draft_.b(), metric));
  if (draft_.counters_explain && differ(both.fast, both.slow, kExplainedMargin))
    draft_.say(number, fmt::format("Of the instructions of threads, {} differ most: {}.", most,
                                   against(Unit::count, both)));
}

// Instructions a cycle, by Little's law.
void CounterClauses::rate() {
  add(kBusySms, Unit::share, &CountedFactors::busy_sms);
  ExplainedNumber* const number = add(kBusyIpc, Unit::number, &CountedFactors::busy_ipc);
  add(kBusyWarps, Unit::number, &CountedFactors::busy_warps);
  add(kWarpCycles, Unit::number, &CountedFactors::warp_cycles);
  add(kClock, Unit::clock_mhz, &CountedFactors::clock_mhz);
  const auto ipc = both(&CountedFactors::busy_ipc), warps = both(&CountedFactors::busy_warps),
             cycles = both(&CountedFactors::warp_cycles);
  const std::string reason = reason_that_differs();
  if (number == nullptr || !ipc || !warps || !cycles || !draft_.counters_explain || ipc->slow <= 0 ||
      warps->slow <= 0 || cycles->fast <= 0)
    return;
  std::string text;
  if (differ(ipc->fast, ipc->slow, kExplainedMargin))
    text = fmt::format(
        "Instructions a cycle: {} = {} from warps on an SM that has any ({}) x {} from the cycles that a "
        "warp takes for one ({})",
        times(ipc->fast / ipc->slow), times(warps->fast / warps->slow), against(Unit::number, *warps),
        times(cycles->gain()), against(Unit::number, *cycles));
  if (text.empty() && reason.empty()) return;
  if (!text.empty() && !reason.empty()) text += "; of these " + reason;
  if (text.empty()) text = "Of the cycles that a warp takes for an instruction " + reason;
  draft_.say(number, text + ".");
}

// Adds the reason of stalls whose cycles an instruction differ most, or what was not counted of them, and says it:
// "`wait` (...) differs most: 2 against 3"; "" where none differs by a share of all.
std::string CounterClauses::reason_that_differs() {
  const auto instructions = both(&CountedFactors::instructions), cycles = both(&CountedFactors::warp_cycles);
  if (!instructions || !cycles) return "";
  std::string most;
  Two largest, all;
  for (const char* reason : kReasons) {
    const auto one = sums(stall_metric(reason));
    if (!one) continue;
    const Two each{one->fast / instructions->fast, one->slow / instructions->slow};
    all = {all.fast + each.fast, all.slow + each.slow};
    if (!most.empty() && std::abs(each.fast - each.slow) <= std::abs(largest.fast - largest.slow)) continue;
    most = reason;
    largest = each;
  }
  // Of different executions, they may be more than all.
  constexpr double kTooMany = 1.05;
  if (most.empty() || all.fast > kTooMany * cycles->fast || all.slow > kTooMany * cycles->slow) return "";
  const auto issuing = sums("smsp__issue_active.sum");
  const auto other = [&](double whole, double known, double issues, double executed) {
    return std::max(0.0, whole - known - issues / executed);
  };
  const Two rest{other(cycles->fast, all.fast, issuing ? issuing->fast : 0, instructions->fast),
                 other(cycles->slow, all.slow, issuing ? issuing->slow : 0, instructions->slow)};
  const bool is_rest = std::abs(rest.fast - rest.slow) > std::abs(largest.fast - largest.slow);
  if (is_rest) largest = rest;
  const Two by_side = draft_.a_is_faster() ? largest : Two{largest.slow, largest.fast};
  draft_.add(is_rest ? "of them not counted" : "of them " + most, Unit::number, by_side.fast, by_side.slow);
  if (std::abs(largest.fast - largest.slow) < kWorthSaying * std::min(cycles->fast, cycles->slow)) return "";
  if (is_rest)
    return fmt::format(
        "what waits for reasons that were not counted differs most: {} (`tailwave counters` counts all reasons)",
        against(Unit::number, largest));
  if (largest.slow > largest.fast)
    draft_.waits_for = fmt::format("`{}` ({})", most, meaning(stall_metric(most)));
  return fmt::format("`{}` ({}) differs most: {}", most, meaning(stall_metric(most)),
                     against(Unit::number, largest));
}

void CounterClauses::memory(const std::string& unit, const std::string& name,
                            const std::vector<std::string>& read, const std::vector<std::string>& written) {
  const auto first_of = [](const ExplainedSide& side, const std::vector<std::string>& metrics) {
    std::optional<double> found;
    for (const std::string& metric : metrics)
      if (!found) found = sum_of(side, metric);
    return found;
  };
  const auto bytes_of = [&](const ExplainedSide& side) {
    auto bytes = first_of(side, read);
    const auto more = written.empty() ? std::optional(0.0) : first_of(side, written);
    return bytes && more ? std::optional(*bytes + *more) : std::nullopt;
  };
  const auto share_of = [&](const ExplainedSide& side) {
    const DrivenUnit* const found = side.counted ? side.counted->unit(unit) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(found->share);
  };
  draft_.add("bytes of " + name, Unit::bytes, bytes_of(draft_.a()), bytes_of(draft_.b()));
  ExplainedNumber* const number =
      draft_.add("of the peak of " + name, Unit::share, share_of(draft_.a()), share_of(draft_.b()));
  const auto bytes = two(bytes_of(draft_.fast()), bytes_of(draft_.slow())),
             share = two(share_of(draft_.fast()), share_of(draft_.slow()));
  const auto time = both(&CountedFactors::time_ns);
  if (!draft_.counters_explain || !bytes || !share || !time || bytes->fast <= 0 || bytes->slow <= 0) return;
  const double most = std::max(share->fast, share->slow);
  const std::string moved = fmt::format("{} moves {}, at {} of its peak", name, against(Unit::bytes, *bytes),
                                        against(Unit::share, *share));
  if (most >= kNearPeak)
    draft_.say(number,
               fmt::format("{}: {} = {} from bytes x {} from bytes a second.", moved, times(time->gain()),
                           times(bytes->gain()), times(time->gain() / bytes->gain())));
  else if (most >= kUsed && differ(bytes->fast, bytes->slow))
    draft_.say(number, moved + ".");
}

void CounterClauses::local_memory() {
  const auto bytes_of = [](const ExplainedSide& side) -> std::optional<double> {
    const auto read = sum_of(side, "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum");
    const auto written = sum_of(side, "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum");
    return read && written ? std::optional(*read + *written) : std::nullopt;
  };
  if (bytes_of(draft_.a()).value_or(0) == 0 && bytes_of(draft_.b()).value_or(0) == 0) return;
  ExplainedNumber* const number =
      draft_.add("bytes of local memory", Unit::bytes, bytes_of(draft_.a()), bytes_of(draft_.b()));
  const auto bytes = two(bytes_of(draft_.fast()), bytes_of(draft_.slow()));
  if (draft_.counters_explain && bytes && differ(bytes->fast, bytes->slow))
    draft_.say(number,
               fmt::format("Local memory, spills and arrays, takes {}.", against(Unit::bytes, *bytes)));
}

void CounterClauses::hardest() {
  const auto of = [](const ExplainedSide& side) {
    return side.counted && !side.counted->units.empty() ? std::optional(side.counted->units.front())
                                                        : std::nullopt;
  };
  const auto share = [&](const ExplainedSide& side) {
    const auto unit = of(side);
    return unit ? std::optional(unit->share) : std::nullopt;
  };
  ExplainedNumber* const number = draft_.add("of the peak of the unit that is driven hardest", Unit::share,
                                             share(draft_.a()), share(draft_.b()));
  if (number == nullptr) return;
  if (of(draft_.a())) number->note_a = of(draft_.a())->unit;
  if (of(draft_.b())) number->note_b = of(draft_.b())->unit;
  const auto fast = of(draft_.fast()), slow = of(draft_.slow());
  if (fast && slow && draft_.counters_explain &&
      (fast->unit != slow->unit || differ(fast->share, slow->share)))
    draft_.say(number,
               fmt::format("The unit that is driven hardest is {} at {} of its peak, against {} at {}.",
                           of(draft_.fast())->unit, percent(of(draft_.fast())->share),
                           of(draft_.slow())->unit, percent(of(draft_.slow())->share)));
}

}  // namespace

std::string stall_metric(const std::string& reason) {
  return "smsp__warps_issue_stalled_" + reason + ".sum";
}

void explain_counters(ExplanationDraft& draft) {
  CounterClauses(draft).write();
}

}  // namespace tailwave
