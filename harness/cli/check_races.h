#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/confinement.h"
#include "cli/console.h"
#include "spec/experiment.h"

namespace tailwave {

// An experiment of all variants of a system with their defaults.
Experiment defaults_of(System system);

struct RacesSaid {
  nlohmann::ordered_json configurations = nlohmann::ordered_json::array();  // for --json
  std::string
      failure;  // what fails the command: races that no manifest knows of, configurations not checked; or ""
};

// Looks for races in the experiments' cuda variants (races/race_check.h), several at once, and says of each
// configuration what was found, in order. Throws Error where nothing can be looked for.
RacesSaid say_races(const std::vector<Experiment>& experiments, const SandboxOptions& sandbox,
                    const Console& console);

}  // namespace tailwave
