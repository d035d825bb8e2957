#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "core/table.h"
#include "store/database.h"
#include "tune/foreign_plan.h"

namespace tailwave {

// What `plan --from` does for each experiment: times on a target, predicted from those on other devices.
class ForeignPlanner {
 public:
  // `from`: devices of the database as people call them, separated by commas. `alone`: there is no other experiment, so
  // that one without times is an error. Throws Error (bad usage) for a device that the database does not have, and for
  // the target itself.
  ForeignPlanner(const std::filesystem::path& database, const std::string& from, PlannedDevice target,
                 std::size_t known, bool alone);

  // Whether the database has times of the experiment on any of the devices; says so where it has none, or throws that
  // as an Error (bad usage).
  bool knows(const Experiment& experiment, const Console& console);
  // Of an experiment that it knows. Gives what --json says of it.
  nlohmann::ordered_json print(const Experiment& experiment, const std::vector<Configuration>& configurations,
                               TableFormat format, const Console& console);
  // Of all experiments together, where there were several. Throws Error (bad usage) where none of them had times.
  void print_summary(const Console& console) const;

 private:
  Database database_;
  std::vector<std::string> devices_;
  PlannedDevice target_;
  std::size_t known_;
  bool alone_;
  std::vector<ForeignSource> sources_;  // of the experiment that was asked about last
  ForeignPlan all_;                     // without rows
  std::size_t experiments_ = 0;
};

}  // namespace tailwave
