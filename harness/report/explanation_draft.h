#pragma once

#include <optional>
#include <string>

#include "report/explanation.h"

namespace tailwave {

// An explanation that is being put together, for those who write its parts.

// Of one quantity, the faster one's first.
struct Two {
  double fast = 0, slow = 0;
  [[nodiscard]] double gain() const { return slow / fast; }  // of what is better when it is less
};
std::optional<Two> two(std::optional<double> fast, std::optional<double> slow);
std::string against(ExplainedUnit unit, const Two& both);  // "10 us against 20 us"

// By which share numbers have to differ to be spoken of.
inline constexpr double kWorthSaying = 0.05;
inline constexpr double kExplainedMargin = 0.01;  // as the queries have it
inline constexpr double kNearPeak = 0.6;  // of a memory, from which time is said to be bytes / bandwidth
bool differ(double one, double other, double share = kWorthSaying);

// Quantities that more than one part speaks of.
inline constexpr const char* kInstructions = "instructions of warps";
inline constexpr const char* kBusySms = "SMs that have warps";
inline constexpr const char* kBusyIpc = "instructions a cycle of an SM that has warps";
inline constexpr const char* kBusyWarps = "warps on an SM that has any";
inline constexpr const char* kWarpCycles = "cycles of a warp an instruction";
inline constexpr const char* kClock = "SM clock";

class ExplanationDraft {
 public:
  // All are kept by reference.
  ExplanationDraft(const ExplainedSide& a, const ExplainedSide& b, const ExplainedNames& names)
      : a_(a), b_(b), names_(names) {}

  Explanation explanation;        // with its verdict before anything but the times is said
  double ratio = 1;               // of the measured times, slower over faster
  bool counters_explain = false;  // they are of both, and show the difference that was measured
  std::string waits_for;          // the reason of stalls by which the slower one waits longer; "": none

  [[nodiscard]] const ExplainedSide& a() const { return a_; }
  [[nodiscard]] const ExplainedSide& b() const { return b_; }
  [[nodiscard]] const ExplainedNames& names() const { return names_; }
  [[nodiscard]] bool a_is_faster() const { return explanation.verdict != ExplainedVerdict::b_faster; }
  [[nodiscard]] const ExplainedSide& fast() const { return a_is_faster() ? a_ : b_; }
  [[nodiscard]] const ExplainedSide& slow() const { return a_is_faster() ? b_ : a_; }
  [[nodiscard]] const std::string& fast_name() const { return a_is_faster() ? names_.a : names_.b; }
  [[nodiscard]] const std::string& slow_name() const { return a_is_faster() ? names_.b : names_.a; }

  // The number that was added; null for one that is known of neither, which is left out.
  ExplainedNumber* add(std::string quantity, ExplainedUnit unit, std::optional<double> a,
                       std::optional<double> b);
  // Only of two that were told apart.
  void say(ExplainedNumber* number, std::string sentence) const;
  // Puts the quantity, which was added, behind the times, with what is said of it before anything else. Numbers that
  // add() returned are others then.
  void lead_with(const std::string& quantity, std::string sentence);
  [[nodiscard]] ExplainedNumber* find(const std::string& quantity);  // null: it was not added

 private:
  const ExplainedSide& a_;
  const ExplainedSide& b_;
  const ExplainedNames& names_;
};

// "A b" of "a b", as a sentence begins.
std::string capital(std::string text);

}  // namespace tailwave
