#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "core/table.h"
#include "report/advice_record.h"
#include "report/launch_changes.h"
#include "report/measured_problems.h"
#include "report/neighbours.h"
#include "report/surface.h"
#include "store/database.h"

namespace tailwave {

// A change of one value that should make a configuration faster. There is none where nothing is known; where the change
// was measured and not faster beyond noise; where it would gain more than the configuration's tightest limit leaves, or a
// change of the launch alone more than the unit leaves that counters say was driven hardest; where it leaves the space or
// was tried before; and where what was measured on the way or with the same change elsewhere was slower.
struct Advice {
  std::string experiment, device, configuration;  // "nbody/scaling"
  std::string parameter;                          // "grid": the number of blocks itself
  Cell value, new_value;
  AdviceSource source = AdviceSource::rule;
  double gain = 1;  // times as fast; of a grid in blocks a second, of a problem in the metric's rate
  std::optional<Interval> interval;  // 95 %, of what was measured
  std::string evidence;              // in words
};

struct AdviceOptions {
  std::size_t limit = 5;  // changes of a configuration
  double least = Trust::kLeastGain;
  double margin = 0.01;  // what was measured to differ by no more counts as tied
};

// Advises about one problem and variant. What it is made with must outlive it, but for the options.
class Adviser {
 public:
  Adviser(Database& database, const MeasuredProblem& problem, const NeighbourModel& model,
          const SpeedSurface& surface, const AdviceRecords& records, const AdviceOptions& options)
      : database_(database),
        problem_(problem),
        model_(model),
        surface_(surface),
        records_(records),
        options_(options) {}

  // From a point of the problem, of which `launches` are the changes of its launch: at most one change of a parameter,
  // by the source that knows most; the highest gain first.
  [[nodiscard]] std::vector<Advice> advise(std::size_t point,
                                           const std::vector<LaunchChange>& launches) const;

 private:
  [[nodiscard]] Advice advice_for(std::size_t point) const;
  [[nodiscard]] Advice advice_for(const NeighbourChange& change, AdviceSource source, double log_gain) const;
  void add_measured(std::size_t point, std::vector<Advice>& all) const;
  void add_untried(std::size_t point, std::vector<Advice>& all) const;
  [[nodiscard]] std::optional<Advice> by_neighbours(const NeighbourChange& change) const;
  [[nodiscard]] std::optional<Advice> by_surface(const NeighbourChange& change) const;
  void add_launch(std::size_t point, const LaunchChange& change, std::vector<Advice>& all) const;
  [[nodiscard]] bool is_believed(std::size_t point, const LaunchChange& change, Advice& advice) const;
  [[nodiscard]] std::optional<NeighbourChange> as_neighbour(std::size_t point,
                                                            const LaunchChange& change) const;
  [[nodiscard]] bool contradicted(std::size_t point, const LaunchChange& change) const;
  [[nodiscard]] bool slower_on_the_way(std::size_t point, const LaunchChange& change) const;
  [[nodiscard]] bool stays_in_space(std::size_t point, const LaunchChange& change) const;

  Database& database_;
  const MeasuredProblem& problem_;
  const NeighbourModel& model_;
  const SpeedSurface& surface_;
  const AdviceRecords& records_;
  AdviceOptions options_;
};

}  // namespace tailwave
