#pragma once

#include <filesystem>
#include <string>

#include "cli/console.h"
#include "interchange/wisdom.h"

namespace tailwave {

// What `export --format program` is to write.
struct ProgramScope {
  std::string experiment,
      system;                 // the system may be empty where the experiment's name is unique in the project
  std::string spec;           // the experiment's file; empty: it is looked for in the project
  std::string configuration;  // as for --filter; one has to fit
  std::string device;         // of the best
  std::filesystem::path folder;  // made where it is not there
};

// Both throw Error for a configuration that no such program can have (standalone/standalone.h), an experiment that the
// project does not have, and a folder that cannot be written.
void export_configuration(const ProgramScope& scope, const Console& console);
// The best of the device: of one problem alone, or it has to be named.
void export_best(const Wisdom& wisdom, ProgramScope scope, const Console& console);

}  // namespace tailwave
