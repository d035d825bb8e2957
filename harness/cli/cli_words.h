#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace tailwave {

// What completion and the manual page say of the command line, read from the parser that --help comes from.

std::vector<std::string> command_names(const Command& app);

// Shown options: first those with a dash, without --help; then those without one.
std::vector<const Option*> dashed_options(const Command& app);
std::vector<const Option*> positional_options(const Command& app);

// What may be given for an option or positional.
struct OfferedValues {
  enum class Kind {
    none,   // it is a flag
    words,  // one of these
    files,
    free,  // a number, or text of one's own
  };
  Kind kind = Kind::none;
  std::vector<std::string> words;
};

// A type name or check such as "{auto,cpu}" offers its words; formats, devices, GPUs to plan for, strategies and the
// queries of this folder's project are known by the option's name.
OfferedValues offered_values(const Command& command, const Option& option);

}  // namespace tailwave
