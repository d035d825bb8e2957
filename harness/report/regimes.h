#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/outcome.h"
#include "core/standing.h"
#include "core/statistics.h"
#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// Whether an experiment's winner holds, from what was measured in regimes (tune/regimes.h).

// One finalist in one regime: a row of the query regime_times.
struct RegimeTime {
  std::string regime, mode, cache;
  Values fills;
  bool own = false;  // as the experiment measures
  std::string configuration;
  std::int64_t place = 1;
  Outcome outcome = Outcome::correct;
  std::string detail;
  std::string unverified;  // as of a Trial
  double median_us = 0;    // of a correct one, as all that follows
  std::optional<Standing> standing;
  double ratio = 1;  // to the best in this regime
  std::optional<Interval> interval;
};

// What a regime says of the winner.
struct RegimeFinding {
  std::string regime, mode, cache;
  Values fills;
  bool own = false;
  bool measured = false;  // a finalist has a time there
  RegimeTime winner;
  std::string best;  // of those measured
  double best_us = 0;
  std::vector<std::string> tied, unclear;  // the others that are so

  [[nodiscard]] bool is(Standing standing) const { return winner.standing == standing; }
  [[nodiscard]] bool holds() const { return is(Standing::best) || is(Standing::tied); }
  [[nodiscard]] std::string setting() const;  // "isolated, cold; x zeros"
};

// What choosing one configuration everywhere costs in the regime where it is furthest from the best.
struct WorstCase {
  std::string configuration, regime;
  double ratio = 1;
  std::optional<Interval> interval;
  bool holds = false;  // best or tied in all regimes
};

enum class RegimeVerdict { holds, does_not_hold, unclear, untested };

template <>
struct EnumNames<RegimeVerdict> {
  static constexpr std::string_view noun = "answer";
  static constexpr std::array<std::string_view, 4> names{"holds", "does not hold", "unclear", "untested"};
};

struct RegimeAnswer {
  std::string experiment;  // "nbody/variants"
  std::string device;
  Values problem;
  std::int64_t run = 0;
  std::string started_at;
  std::string winner;
  std::string unverified;  // the winner's: as of a Trial
  // does_not_hold: it is shown to be slower in a regime, or fails in one in which others do not; unclear: not that, and
  // in a regime the samples leave it open; untested: none but the experiment's own has a time.
  RegimeVerdict verdict = RegimeVerdict::untested;
  std::vector<RegimeFinding> regimes;
  // The configuration that loses least in its worst regime, of those that are correct wherever one is; none: there is
  // no such.
  std::optional<WorstCase> least_worst;
};

// From all rows of one problem, at least one, by regime.
RegimeAnswer answer_of(const std::vector<RegimeTime>& times);

// Of the latest measurements. `parameters`: of the query regime_times.
std::vector<RegimeAnswer> regime_answers(Database& database, const Values& parameters);

// The query "regimes": a row for each regime.
Table regimes_table(Database& database, const Values& parameters);

}  // namespace tailwave
