#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "report/launch_changes.h"
#include "report/measured_problems.h"
#include "report/trust.h"

namespace tailwave {

// What an advice rests on.
enum class AdviceSource {
  measured,  // the change was measured
  curve,  // a wave model of the configuration's grid curve, beyond its worst error on grids that were held out
  neighbours,  // what the same change did in other configurations (report/neighbours.h)
  surface,     // a surface through all that was measured (report/surface.h)
  rule  // waves and occupancy alone (report/launch_changes.h), where that was right in Trust::kRight of the changes
        // of the same parameter that the experiment measured
};

template <>
struct EnumNames<AdviceSource> {
  static constexpr std::string_view noun = "source of advice";
  static constexpr std::array<std::string_view, 5> names{"measured", "curve", "neighbours", "surface",
                                                         "rule"};
};

// How often a source was right where what it says was measured. A curve's error and the margin of neighbours are taken
// from other changes than the one that is judged, and so is the record of the rule.
struct AdviceRecord {
  std::string experiment, device;  // "all": of all experiments
  AdviceSource source = AdviceSource::rule;
  std::size_t changes = 0;            // whose gain was predicted and measured
  std::size_t advised = 0;            // of them, those that are or would have been advised
  std::size_t right = 0;              // of these, those that were faster
  std::optional<double> correlation;  // Spearman's, of predicted and measured gains of all changes

  // The rule of succession: how likely the next advice is to be right.
  [[nodiscard]] std::optional<double> share() const;
};

// Puts the records together: of each experiment, and of all.
class AdviceRecords {
 public:
  void add(const MeasuredProblem& problem, AdviceSource source, const Trust& trust);
  void add(const std::vector<CurveChange>& changes);
  void add(const std::vector<RuleRecord>& rule);

  // By experiment, device and source; then those of all experiments.
  [[nodiscard]] std::vector<AdviceRecord> list() const;
  // How many of how many changes of the parameter the rule had right; none where that is too few to be advice.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> trusted(const LaunchChange& change) const;

 private:
  struct Sum {
    AdviceRecord record;
    std::vector<double> predicted, measured;  // gains
  };
  struct Judged {
    double predicted = 0, measured = 0;  // log gains
    bool advised = false;
  };
  using Key =
      std::tuple<bool, std::string, std::string, AdviceSource>;  // whether it is that of all experiments

  Sum& sum_of(const std::string& experiment, const std::string& device, AdviceSource source);
  void add(const std::string& experiment, const std::string& device, AdviceSource source,
           const Judged& judged);
  void add_rule(const RuleRecord& row);

  std::map<Key, Sum> sums_;
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::size_t, std::size_t>> trusted_;
};

}  // namespace tailwave
