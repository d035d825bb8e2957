#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "cli/console.h"
#include "core/error.h"
#include "spec/experiment.h"

namespace tailwave {

// What is probably not meant in an experiment that is right: of itself, and of its system's manifest and sources.
Diagnostics warnings_of(const Experiment& experiment);

// Says warnings as remarks, each text once, since experiments of one system have many in common.
class SpecWarnings {
 public:
  // The console has to outlive it.
  explicit SpecWarnings(const Console& console) : console_(console) {}

  void say(const Diagnostics& warnings);

 private:
  const Console& console_;
  std::set<std::string> said_;
};

// That results are verified for the sizes alone that are timed, and how to add others; "" where they are, or nothing is.
std::string sizes_hint(const System& system);

nlohmann::ordered_json warnings_json(const Diagnostics& warnings);

}  // namespace tailwave
