#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.h"
#include "report/explained_side.h"

namespace tailwave {

// Why one configuration is faster than another: what is stored of both, number by number, and sentences that these
// numbers bear.

enum class ExplainedUnit { time_ns, count, bytes, share, clock_mhz, number };
template <>
struct EnumNames<ExplainedUnit> {
  static constexpr std::string_view noun = "unit";
  static constexpr std::array<std::string_view, 6> names{"ns", "count", "byte", "share", "MHz", "number"};
};

// A quantity of both. The sentence, where there is one, has the faster one's number first.
struct ExplainedNumber {
  std::string quantity;  // "instructions"
  ExplainedUnit unit = ExplainedUnit::number;
  std::optional<double> a, b;
  std::string note_a, note_b;  // what belongs to it: the limiter, the unit's name
  std::string says;            // "": it is part of no sentence, or of an earlier one

  // The larger over the smaller, 1 or more; none where one is not known or 0.
  [[nodiscard]] std::optional<double> ratio() const;
};

// Which has more, and how many times: "B, 1.759 times", "equal"; "" where there is no ratio.
std::string more_text(const ExplainedNumber& number, const std::string& a, const std::string& b);

enum class ExplainedVerdict { a_faster, b_faster, tied, unclear, not_comparable };
template <>
struct EnumNames<ExplainedVerdict> {
  static constexpr std::string_view noun = "verdict";
  static constexpr std::array<std::string_view, 5> names{"a faster", "b faster", "tied", "unclear",
                                                         "not comparable"};
};

struct Explanation {
  ExplainedVerdict verdict = ExplainedVerdict::unclear;
  std::string
      identity;  // that they have the same machine code, which is said first; "": not that this is known
  std::deque<ExplainedNumber> numbers;  // those that are known of at least one
  // What is not known or was left out, and what to do: "Not counted: B (`tailwave counters` does)."
  std::string missing;

  [[nodiscard]] bool told_apart() const {
    return verdict == ExplainedVerdict::a_faster || verdict == ExplainedVerdict::b_faster;
  }
  [[nodiscard]] std::string paragraph() const;  // all that it says, in one
};

// How the sentences call the two, and how they write words from the database: for a terminal, or as Markdown.
struct ExplainedNames {
  std::string a = "A", b = "B";
  std::function<std::string(const std::string&)> text = [](const std::string& words) { return words; };
};

// Of two that have the same machine code and launches, of which one alone was measured.
Explanation explain_same(const ExplainedNames& names);

// Sentences:
// - That the machine code and the main launch's shape are the same, where they are: what differs then is what the kernels
//   are given, or when they were measured.
// - The times: which is faster, by core/standing.h with a margin of 1 %. Where they are tied or unclear, or were taken
//   in different modes, nothing else is said: only numbers stay.
// - What makes most of the difference (explained_cause.h). With counters of both that show it: the bytes of a memory, where the
//   slower one is near its peak; else the largest of instructions, the clock, and instructions a cycle. Of the last one, SMs
//   that have warps where they make half of it, else warps or the cycles that one takes for an instruction. Without them:
//   what the rule of occupancy/launch_speed.h says of the main launches, which is said to be so.
// - Counters of both: the counted launches' time is instructions / (SMs x share of SMs that have warps x instructions a
//   cycle of such an SM x clock), so that the ratio of their times is the product of four ratios; instructions a cycle
//   are warps on an SM over cycles that a warp takes for an instruction (Little's law), which stall reasons add up to.
//   Both are identities of the counters. They are not used where the counted launches of the faster one take no less
//   time than the other's.
// - DRAM and L2 where a launch drives them to a tenth of their peak, as time = bytes / bandwidth from 60 % on.
// - What is different of blocks on an SM, waves, traces (docs/waves.md) and the share of the manifest's limit.
// Intervals are of the times of the runs at hand: they say nothing of what changes from run to run.
Explanation explain(const ExplainedSide& a, const ExplainedSide& b, const ExplainedNames& names = {});

// A value of a unit for people: "12.46 us", "1.21 G", "53.1 %".
std::string show(ExplainedUnit unit, double value);

}  // namespace tailwave
