#include "report/explained_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "occupancy/launch_speed.h"
#include "report/explained_factors.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr double kMuch = 1.25;  // by which shares of busy SMs have to differ to be spoken of
constexpr const char* kUsedSms = "SMs that get a block";
constexpr const char* kLanes = "lanes of a warp that have a thread";
constexpr const char* kBalance = "wave balance";
constexpr const char* kWarpsAtOnce = "warps that an SM gets at once";

// Whether a factor is at least half of a ratio, as ratios multiply.
bool is_most_of(double factor, double ratio) {
  return factor > 1 && 2 * std::log(factor) >= std::log(ratio);
}

// "31.36 times"
std::string gain_text(double gain) {
  return format_number(gain) + " times";
}

class Cause {
 public:
  explicit Cause(ExplanationDraft& draft)
      : draft_(draft),
        fast_(launch_facts(draft.fast())),
        slow_(launch_facts(draft.slow())),
        counted_fast_(counted_factors(draft.fast())),
        counted_slow_(counted_factors(draft.slow())) {}

  void lead() {
    add_launch_numbers();
    if (!draft_.explanation.told_apart()) return;
    if (!draft_.counters_explain || !by_counters()) by_launches();
  }

 private:
  using Unit = ExplainedUnit;

  struct Factor {
    const char* quantity;
    double gain;
    std::string (Cause::*says)() const;
  };

  [[nodiscard]] std::optional<Two> counted(std::optional<double> CountedFactors::*member) const {
    return two(counted_fast_.*member, counted_slow_.*member);
  }
  [[nodiscard]] std::optional<Two> of_launch(std::optional<double> LaunchFacts::*member) const {
    return two(fast_.*member, slow_.*member);
  }
  [[nodiscard]] std::string text(Unit unit, std::optional<double> CountedFactors::*member) const {
    return against(unit, *counted(member));
  }
  [[nodiscard]] double gain_of_launch(std::optional<double> LaunchFacts::*member) const {
    const auto both = of_launch(member);
    return both && both->slow > 0 ? both->fast / both->slow : 1;
  }
  // "128 against 4 blocks of 32 against 1024 threads for 132 SMs"
  [[nodiscard]] std::string grids() const {
    const auto once = [](double fast, double slow) {
      return fast == slow ? format_number(fast) : against(Unit::number, {fast, slow});
    };
    return fmt::format("{} blocks of {} threads for {} SMs", once(fast_.blocks, slow_.blocks),
                       once(fast_.block, slow_.block), once(fast_.sms, slow_.sms));
  }

  void add_launch_numbers();
  bool by_counters();
  [[nodiscard]] Factor largest(double sms, double warps, double cycles) const;
  bool by_bytes(const Two& time);
  void by_launches();
  void sms_beside(const Two& sms);
  [[nodiscard]] std::string why_sms(const Two& sms) const;
  [[nodiscard]] std::string why_warps() const;

  [[nodiscard]] std::string says_instructions() const;
  [[nodiscard]] std::string says_sms() const;
  [[nodiscard]] std::string says_warps() const;
  [[nodiscard]] std::string says_rate() const;
  [[nodiscard]] std::string says_cycles() const;
  [[nodiscard]] std::string says_clock() const;
  [[nodiscard]] std::string says_used_sms() const;
  [[nodiscard]] std::string says_lanes() const;
  [[nodiscard]] std::string says_balance() const;
  [[nodiscard]] std::string says_hiding() const;

  ExplanationDraft& draft_;
  const LaunchFacts fast_, slow_;
  const CountedFactors counted_fast_, counted_slow_;
};

void Cause::add_launch_numbers() {
  const LaunchFacts &a = draft_.a_is_faster() ? fast_ : slow_, &b = draft_.a_is_faster() ? slow_ : fast_;
  draft_.add(kUsedSms, Unit::share, a.used_sms, b.used_sms);
  if (a.lanes.value_or(1) < 1 || b.lanes.value_or(1) < 1) draft_.add(kLanes, Unit::share, a.lanes, b.lanes);
  draft_.add(kBalance, Unit::share, a.balance, b.balance);
  draft_.add(kWarpsAtOnce, Unit::number, a.warps, b.warps);
}

bool Cause::by_counters() {
  const auto time = counted(&CountedFactors::time_ns), instructions = counted(&CountedFactors::instructions),
             sms = counted(&CountedFactors::busy_sms), warps = counted(&CountedFactors::busy_warps),
             cycles = counted(&CountedFactors::warp_cycles), clock = counted(&CountedFactors::clock_mhz);
  for (const auto& both : {time, instructions, sms, warps, cycles, clock})
    if (!both || both->fast <= 0 || both->slow <= 0) return false;
  const Factor most = largest(sms->fast / sms->slow, warps->fast / warps->slow, cycles->gain());
  const bool bytes = by_bytes(*time);
  if (bytes || std::string_view(most.quantity) != kBusySms) sms_beside(*sms);
  if (!bytes)
    draft_.lead_with(most.quantity, fmt::format("{}: {}.",
                                                is_most_of(most.gain, time->gain())
                                                    ? "The main cause"
                                                    : "There are several causes, the largest of which",
                                                (this->*most.says)()));
  return true;
}

// Of the factors of the counted time. What makes a rate of instructions is one, and then its parts: more warps make each of
// them wait longer, and fewer SMs with more warps each have as many in all.
Cause::Factor Cause::largest(double sms, double warps, double cycles) const {
  const double rate = sms * warps * cycles, fewer = counted(&CountedFactors::instructions)->gain();
  const Two clock = *counted(&CountedFactors::clock_mhz);
  if (clock.fast / clock.slow >= std::max(fewer, rate))
    return {kClock, clock.fast / clock.slow, &Cause::says_clock};
  if (fewer >= rate) return {kInstructions, fewer, &Cause::says_instructions};
  if (sms >= kMuch && is_most_of(sms, rate)) return {kBusySms, sms, &Cause::says_sms};
  if (sms <= 1 / kMuch && sms * warps < kMuch && cycles < kMuch)
    return {kBusyIpc, warps * cycles, &Cause::says_rate};
  if (cycles > sms * warps) return {kWarpCycles, cycles, &Cause::says_cycles};
  return sms > warps ? Factor{kBusySms, sms, &Cause::says_sms}
                     : Factor{kBusyWarps, warps, &Cause::says_warps};
}

// Where the slower one is near a memory's peak, and moves more.
bool Cause::by_bytes(const Two& time) {
  // NOLINTNEXTLINE(readability-use-anyofallof): the first is also led with
  for (const auto& [unit, name] : {std::pair{"dram", "DRAM"}, std::pair{"l2", "L2"}}) {
    const ExplainedNumber* const bytes = draft_.find(std::string("bytes of ") + name);
    const DrivenUnit* const driven = draft_.slow().counted->unit(unit);
    if (bytes == nullptr || !bytes->a || !bytes->b || driven == nullptr || driven->share < kNearPeak)
      continue;
    const Two both = draft_.a_is_faster() ? Two{*bytes->a, *bytes->b} : Two{*bytes->b, *bytes->a};
    if (both.fast <= 0 || !is_most_of(both.gain(), time.gain())) continue;
    draft_.lead_with(
        bytes->quantity,
        fmt::format("The main cause: {} moves fewer bytes, {} ({}), and {} drives it to {} of its peak.",
                    name, against(Unit::bytes, both), gain_text(both.gain()), draft_.slow_name(),
                    percent(driven->share)));
    return true;
  }
  return false;
}

// Shares of busy SMs that differ by much and are not the main cause.
void Cause::sms_beside(const Two& sms) {
  const double gain = sms.fast / sms.slow;
  if (gain < kMuch && gain > 1 / kMuch) return;
  draft_.say(draft_.find(kBusySms), fmt::format("{} SMs have warps in {} of the cycles{}.",
                                                gain > 1 ? "Beside that," : "It is so although",
                                                against(Unit::share, sms), why_sms(sms)));
}

// Of the share of busy SMs: by the grid where its blocks account for half of the difference.
std::string Cause::why_sms(const Two& sms) const {
  const auto used = of_launch(&LaunchFacts::used_sms);
  if (!used) return "";
  const double counted = std::log(sms.fast / sms.slow), predicted = std::log(used->fast / used->slow);
  if (predicted * counted > 0 && 2 * std::abs(predicted) >= std::abs(counted))
    return fmt::format(", since the grid of its main kernel has {}", grids());
  if (used->fast == 1 && used->slow == 1)
    return ", not for want of blocks: each grid has one for every SM, and the rest idle at the begin and the end "
           "of launches";
  return "";
}

// Of the warps on an SM.
std::string Cause::why_warps() const {
  const auto at_once = of_launch(&LaunchFacts::warps);
  if (!at_once || at_once->fast < kMuch * at_once->slow) return "";
  const std::string why = draft_.slow().waves->waves.value_or(0) >= 1
                              ? fmt::format(", since an SM holds {} at once", against(Unit::number, *at_once))
                              : fmt::format(", since the grid of its main kernel, {}, gives an SM {} at once",
                                            grids(), against(Unit::number, *at_once));
  return why +
         (at_once->slow < kHidingWarps ? fmt::format(": fewer than {} cannot hide it", kHidingWarps) : "");
}

std::string Cause::says_instructions() const {
  const auto instructions = counted(&CountedFactors::instructions);
  const auto lanes = of_launch(&LaunchFacts::lanes);
  return fmt::format(
      "warps execute fewer instructions, {} ({}){}", against(Unit::count, *instructions),
      gain_text(instructions->gain()),
      lanes && is_most_of(lanes->fast / lanes->slow, instructions->gain())
          ? fmt::format(", since {} of a warp's lanes have a thread", against(Unit::share, *lanes))
          : "");
}

std::string Cause::says_sms() const {
  const Two sms = *counted(&CountedFactors::busy_sms);
  return fmt::format(
      "more SMs have warps, {} of the cycles{}. That alone makes {}; an SM that has warps executes {} "
      "instructions a cycle",
      against(Unit::share, sms), why_sms(sms), gain_text(sms.fast / sms.slow),
      text(Unit::number, &CountedFactors::busy_ipc));
}

std::string Cause::says_warps() const {
  return fmt::format(
      "more warps hide latency, {} on an SM that has any{}. It executes {} instructions a cycle",
      text(Unit::number, &CountedFactors::busy_warps), why_warps(),
      text(Unit::number, &CountedFactors::busy_ipc));
}

std::string Cause::says_rate() const {
  return fmt::format("an SM that has warps executes more instructions a cycle, {}, with {} warps",
                     text(Unit::number, &CountedFactors::busy_ipc),
                     text(Unit::number, &CountedFactors::busy_warps));
}

std::string Cause::says_cycles() const {
  const auto cycles = counted(&CountedFactors::warp_cycles);
  return fmt::format("a warp takes fewer cycles for an instruction, {} ({}){}",
                     against(Unit::number, *cycles), gain_text(cycles->gain()),
                     draft_.waits_for.empty() ? "" : ", above all of " + draft_.waits_for);
}

std::string Cause::says_clock() const {
  return fmt::format("the clock of the SMs, {}", text(Unit::clock_mhz, &CountedFactors::clock_mhz));
}

std::string Cause::says_used_sms() const {
  return fmt::format("more SMs get work, {}, since the grid of its main kernel has {}",
                     against(Unit::share, *of_launch(&LaunchFacts::used_sms)), grids());
}

std::string Cause::says_lanes() const {
  return fmt::format("{} of the lanes of a warp have a thread",
                     against(Unit::share, *of_launch(&LaunchFacts::lanes)));
}

std::string Cause::says_balance() const {
  return fmt::format(
      "the last wave leaves less idle, as SMs have {} of the blocks that the busiest one goes through",
      against(Unit::share, *of_launch(&LaunchFacts::balance)));
}

std::string Cause::says_hiding() const {
  return fmt::format("more warps hide latency, {} on an SM at once, since the grid of its main kernel has {}",
                     against(Unit::number, *of_launch(&LaunchFacts::warps)), grids());
}

// By the rule of occupancy/launch_speed.h.
void Cause::by_launches() {
  const double lanes = gain_of_launch(&LaunchFacts::lanes), used = gain_of_launch(&LaunchFacts::used_sms),
               balance = gain_of_launch(&LaunchFacts::balance), hiding = gain_of_launch(&LaunchFacts::hiding);
  const std::array<Factor, 4> all{{{kUsedSms, used, &Cause::says_used_sms},
                                   {kLanes, lanes, &Cause::says_lanes},
                                   {kBalance, balance, &Cause::says_balance},
                                   {kWarpsAtOnce, hiding, &Cause::says_hiding}}};
  for (const Factor& one : all) {
    if (draft_.find(one.quantity) == nullptr || one.gain < 1 + kWorthSaying ||
        !is_most_of(one.gain, draft_.ratio))
      continue;
    draft_.lead_with(
        one.quantity,
        fmt::format("By its launches, without counters, the main cause would be: {}. That alone makes "
                    "{}; their balance, lanes and hiding of latency together {}.",
                    (this->*one.says)(), gain_text(one.gain), gain_text(balance * lanes * hiding)));
    return;
  }
}

}  // namespace

void lead_with_cause(ExplanationDraft& draft) {
  Cause(draft).lead();
}

}  // namespace tailwave
