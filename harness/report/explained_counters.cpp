#include "report/explained_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr double kUsed = 0.1;      // of a memory's peak, from which its bytes are spoken of
constexpr double kNearPeak = 0.6;  // from which time is said to be bytes / bandwidth
constexpr double kAgrees = 0.1;    // of the counted ratio with the measured one

constexpr std::array kKinds{"fp32",       "fp64",    "fp16",   "integer", "bit",
                            "conversion", "control", "memory", "uniform", "inter_thread_communication",
                            "misc"};
constexpr std::array kReasons{"long_scoreboard", "wait",        "short_scoreboard", "math_pipe_throttle",
                              "barrier",         "lg_throttle", "mio_throttle",     "sleeping"};

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

std::optional<double> over(std::optional<double> value, std::optional<double> divisor) {
  if (!value || !divisor || *divisor <= 0) return std::nullopt;
  return *value / *divisor;
}

// What follows from the sums of a plan's counters.
struct Derived {
  std::optional<double> time_ns, cycles, instructions;
  std::optional<double> ipc, clock_mhz;      // instructions a cycle and SM
  std::optional<double> warps, warp_cycles;  // on an SM over all cycles; cycles of a warp for an instruction
  std::optional<double> busy_sms, busy_warps;  // share of cycles in which an SM has a warp; warps on it then
};

Derived derive(const ExplainedSide& side) {
  Derived one;
  if (!side.counted || side.sms == 0) return one;
  const CountedPlan& counted = *side.counted;
  const double sms = side.sms;
  one.time_ns = counted.sum("gpu__time_duration.sum");
  one.cycles = counted.sum("sm__cycles_elapsed.avg");
  one.instructions = counted.sum("smsp__inst_executed.sum");
  const auto warps = counted.sum("sm__warps_active.sum"), active = counted.sum("sm__cycles_active.avg");
  const auto per_sm = [&](std::optional<double> value) { return over(value, sms); };
  one.ipc = over(per_sm(one.instructions), one.cycles);
  one.clock_mhz = over(one.cycles, one.time_ns);
  if (one.clock_mhz) *one.clock_mhz *= 1000;
  one.warps = over(per_sm(warps), one.cycles);
  one.warp_cycles = over(warps, one.instructions);
  one.busy_sms = over(active, one.cycles);
  one.busy_warps = over(per_sm(warps), active);
  return one;
}

std::optional<double> sum_of(const ExplainedSide& side, const std::string& metric) {
  return side.counted ? side.counted->sum(metric) : std::nullopt;
}

class CounterClauses {
 public:
  explicit CounterClauses(ExplanationDraft& draft)
      : draft_(draft), derived_a_(derive(draft.a())), derived_b_(derive(draft.b())) {}

  void write() {
    counted_times();
    instructions();
    rate();
    occupied();
    memory("dram", "DRAM", {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
           {"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
    memory("l2", "L2", {"lts__t_bytes.sum"}, {});
    local_memory();
    hardest();
  }

 private:
  using Unit = ExplainedUnit;

  [[nodiscard]] const Derived& of_fast() const { return draft_.a_is_faster() ? derived_a_ : derived_b_; }
  [[nodiscard]] const Derived& of_slow() const { return draft_.a_is_faster() ? derived_b_ : derived_a_; }
  [[nodiscard]] std::optional<Two> both(std::optional<double> Derived::*member) const {
    return two(of_fast().*member, of_slow().*member);
  }
  [[nodiscard]] std::optional<Two> sums(const std::string& metric) const {
    return two(sum_of(draft_.fast(), metric), sum_of(draft_.slow(), metric));
  }
  ExplainedNumber* add(std::string quantity, Unit unit, std::optional<double> Derived::*member) {
    return draft_.add(std::move(quantity), unit, derived_a_.*member, derived_b_.*member);
  }

  void counted_times();
  [[nodiscard]] std::string factors(const Two& time) const;
  void instructions();
  void rate();
  std::string reason_that_differs();
  void occupied();
  void memory(const std::string& unit, const std::string& name, const std::vector<std::string>& read,
              const std::vector<std::string>& written);
  void local_memory();
  void hardest();

  ExplanationDraft& draft_;
  const Derived derived_a_, derived_b_;
  bool counters_count_ = false;  // they show the difference that was measured
};

void CounterClauses::counted_times() {
  ExplainedNumber* const number = add("time of the counted launches", Unit::time_ns, &Derived::time_ns);
  const auto time = both(&Derived::time_ns);
  if (!time || time->fast <= 0 || time->slow <= 0) return;
  counters_count_ = time->gain() > 1 + kExplainedMargin;
  if (!counters_count_) {
    draft_.say(
        number,
        fmt::format(
            "Counted alone, its launches take {}: counters do not show the difference, and so do not explain "
            "it.",
            against(Unit::time_ns, *time)));
    return;
  }
  std::string text = fmt::format("Counted alone, its launches take {}", against(Unit::time_ns, *time));
  text += factors(*time) + ".";
  if (differ(time->gain(), draft_.ratio, kAgrees))
    text += fmt::format(
        " These are {} times as fast, not {} times: alone, launches find other caches and clocks, and nothing "
        "between them.",
        times(time->gain()), times(draft_.ratio));
  draft_.say(number, text);
}

// What the ratio of the counted times is made of.
std::string CounterClauses::factors(const Two& time) const {
  const auto instructions = both(&Derived::instructions), ipc = both(&Derived::ipc),
             clock = both(&Derived::clock_mhz);
  if (!instructions || !ipc || !clock || instructions->fast <= 0 || ipc->slow <= 0 || clock->slow <= 0)
    return "";
  const std::array<std::pair<const char*, double>, 3> all{{{"instructions", instructions->gain()},
                                                           {"instructions a cycle", ipc->fast / ipc->slow},
                                                           {"the clock", clock->fast / clock->slow}}};
  const auto* const largest = std::ranges::max_element(all, {}, &std::pair<const char*, double>::second);
  std::string text = fmt::format(
      ": {} = {} from instructions ({}) x {} from instructions a cycle ({} an SM) x {} from the clock ({})",
      times(time.gain()), times(all[0].second), against(Unit::count, *instructions), times(all[1].second),
      against(Unit::number, *ipc), times(all[2].second), against(Unit::clock_mhz, *clock));
  if (2 * std::log(largest->second) >= std::log(time.gain()))
    text += fmt::format("; the largest factor is {}", largest->first);
  return text;
}

// The kind that differs most.
void CounterClauses::instructions() {
  add("instructions of warps", Unit::count, &Derived::instructions);
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
  if (counters_count_ && differ(both.fast, both.slow, kExplainedMargin))
    draft_.say(number, fmt::format("Of the instructions of threads, {} differ most: {}.", most,
                                   against(Unit::count, both)));
}

// Instructions a cycle, by Little's law.
void CounterClauses::rate() {
  ExplainedNumber* const number = add("instructions a cycle and SM", Unit::number, &Derived::ipc);
  add("warps on an SM", Unit::number, &Derived::warps);
  add("cycles of a warp an instruction", Unit::number, &Derived::warp_cycles);
  add("SM clock", Unit::clock_mhz, &Derived::clock_mhz);
  const auto ipc = both(&Derived::ipc), warps = both(&Derived::warps), cycles = both(&Derived::warp_cycles);
  const std::string reason = reason_that_differs();
  if (number == nullptr || !ipc || !warps || !cycles || !counters_count_ || ipc->slow <= 0 ||
      warps->slow <= 0 || cycles->fast <= 0)
    return;
  std::string text;
  if (differ(ipc->fast, ipc->slow, kExplainedMargin))
    text = fmt::format(
        "Instructions a cycle: {} = {} from warps on an SM ({}, over all cycles) x {} from the cycles that a "
        "warp takes for one ({})",
        times(ipc->fast / ipc->slow), times(warps->fast / warps->slow), against(Unit::number, *warps),
        times(cycles->gain()), against(Unit::number, *cycles));
  if (text.empty() && reason.empty()) return;
  if (!text.empty() && !reason.empty()) text += "; of these " + reason;
  if (text.empty()) text = "Of the cycles that a warp takes for an instruction " + reason;
  draft_.say(number, text + ".");
}

// Adds the reason of stalls whose cycles an instruction differ most, and says it: "`wait` (...) differs most: 2 against
// 3"; "" where none differs by a share of all.
std::string CounterClauses::reason_that_differs() {
  const auto instructions = both(&Derived::instructions), cycles = both(&Derived::warp_cycles);
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
  const Two by_side = draft_.a_is_faster() ? largest : Two{largest.slow, largest.fast};
  draft_.add("of them " + most, Unit::number, by_side.fast, by_side.slow);
  if (std::abs(largest.fast - largest.slow) < kWorthSaying * std::min(cycles->fast, cycles->slow)) return "";
  return fmt::format("`{}` ({}) differs most: {}", most, meaning(stall_metric(most)),
                     against(Unit::number, largest));
}

// Warps on an SM, over all cycles, are those while it has any, times the share of cycles in which it does.
void CounterClauses::occupied() {
  add("SMs that have warps", Unit::share, &Derived::busy_sms);
  ExplainedNumber* const number = add("warps on an SM that has any", Unit::number, &Derived::busy_warps);
  const auto warps = both(&Derived::warps), sms = both(&Derived::busy_sms), held = both(&Derived::busy_warps);
  if (!counters_count_ || !warps || !sms || !held || !differ(warps->fast, warps->slow)) return;
  draft_.say(number, fmt::format("An SM has warps in {} of the cycles, and then {}.",
                                 against(Unit::share, *sms), against(Unit::number, *held)));
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
  const auto time = both(&Derived::time_ns);
  if (!counters_count_ || !bytes || !share || !time || bytes->fast <= 0 || bytes->slow <= 0) return;
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
  if (counters_count_ && bytes && differ(bytes->fast, bytes->slow))
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
  if (fast && slow && counters_count_ && (fast->unit != slow->unit || differ(fast->share, slow->share)))
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
