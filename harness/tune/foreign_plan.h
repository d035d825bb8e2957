#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "tune/foreign_record.h"
#include "tune/foreign_source.h"
#include "tune/plan.h"

namespace tailwave {

// An experiment on a GPU that nobody ran it on: what each configuration will take there.
struct ForeignPlan {
  struct Row {
    std::string configuration;
    // predicted; known: its time on the target corrects the others; not_measured on any source; or what plan_table()
    // has for one that cannot be built or launched.
    std::string outcome;
    std::string why;                  // of one that is not predicted
    std::optional<double> source_ns;  // of the first source that has one
    std::optional<ForeignTime> predicted;
    std::optional<std::int64_t> blocks_per_sm;  // on the target, of the main launch
    std::optional<double> waves;
    std::optional<double> measured_ns;  // on the target
  };
  std::vector<Row> rows;               // by predicted time, then those without one in their order
  std::vector<ComparedTime> compared;  // predicted, measured and not known
  std::size_t predicted = 0, by_counters = 0, known = 0;
};

// Builds the configurations for the target. `measured`: what the target took, if it ran any; times in another mode than
// the source's do not count. With `known`, so many of those, the fastest on the source first, correct the others.
ForeignPlan plan_foreign(const Experiment& experiment, const std::vector<Configuration>& configurations,
                         const std::vector<ForeignSource>& sources, const ForeignSource* measured,
                         const PlannedDevice& target, std::size_t known, unsigned processes);

// Columns: configuration, outcome, source_us, predicted_us, low_80_us, high_80_us, low_95_us, high_95_us, basis,
// limit (with counters), memory_ratio, sm_ratio (how much longer the target takes if only that counts),
// blocks_per_sm, waves, measured_us, percent_off (measured over predicted, less 1), why.
Table foreign_table(const ForeignPlan& plan);

// What that rests on, in sentences of a line each, for people.
std::string foreign_words(const ForeignPlan& plan, const std::string& target);

}  // namespace tailwave
