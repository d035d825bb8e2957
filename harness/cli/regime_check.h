#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/session.h"
#include "tune/regimes.h"

namespace tailwave {

// Whether the winner of a run or a search holds: what both commands ask and say of it.

struct RegimeArguments {
  std::vector<std::string> names;  // none: those of the spec
  bool none = false;
  std::uint64_t most = kMostFinalists;
};

// `--regimes`, `--no-regimes` and `--finalists`. Returns the first of them.
Option* add_regime_options(Command& command, RegimeArguments& arguments);

// What is asked for of an experiment; empty: nothing. Throws Error (bad usage) for a name that it does not have.
std::vector<Regime> wanted_regimes(const RegimeArguments& arguments, const Experiment& experiment);

// For people: the answer for each problem, with the table of its regimes where there are few problems.
void say_regimes(Database& database, const Experiment& experiment, const DeviceDescription& device,
                 const RegimeSummary& summary, const Console& console);

// The same for --json.
nlohmann::ordered_json regimes_json(Database& database, const Experiment& experiment,
                                    const DeviceDescription& device, const RegimeSummary& summary);

}  // namespace tailwave
