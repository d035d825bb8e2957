#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_kind.h"
#include "store/database.h"

namespace tailwave {

// What a person calls one side of a comparison: which runs. Everything that is given has to hold.
struct SideName {
  std::string text;    // as written, for messages
  std::string device;  // the run device's whole name, or a kind: "cuda", "cpu", "recorded"
  std::string commit;  // how the project's commit begins
  std::optional<std::int64_t> run;
  enum class Age { any, latest, previous };
  Age age = Age::any;  // the latest of these runs, or the one of its experiment and device before it
};

// The runs of one experiment on one device that are meant, the latest first.
struct Side {
  std::string system, experiment, device;
  DeviceKind kind = DeviceKind::cuda;
  std::vector<std::int64_t> runs;
  // Without a run, commit or age: the trials that count now (view current_trial). Else of each configuration the
  // trial of the latest of `runs` that has one, whatever superseded it.
  bool current = false;
  // A run that is named, or one of an age: a search with the runs of its leaders counts as one.
  bool one_run = false;

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
};

// "run 3", "runs 3 to 5".
std::string run_words(std::int64_t first, std::int64_t last);

// One side for each experiment that has such runs with trials, by name. `experiment` ("name" or "system/name") and
// `system` narrow it down; empty: all but tries, of which one is meant by its name or its run's number. Throws Error (bad usage) when there are none and where they are on several
// devices, which it names.
std::vector<Side> find_sides(Database& database, const SideName& name, const std::string& experiment = "",
                             const std::string& system = "");

}  // namespace tailwave
