#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tailwave {

// What completion and the manual page say of the command line, read from the parser that --help comes from.

// In the order in which they were added.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<std::string> command_names(const CLI::App& app);

// Shown options: first those with a dash, without --help; then those without one.
std::vector<const CLI::Option*> dashed_options(const CLI::App& app);
std::vector<const CLI::Option*> positional_options(const CLI::App& app);

// "--device", or "-x" where there is no long name.
std::string long_name(const CLI::Option& option);

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

// A type name or check such as "{auto,cpu}" offers its words; formats, devices, GPUs to plan for, strategies and the queries
// of this folder's project are known by the option's name.
OfferedValues offered_values(const CLI::App& command, const CLI::Option& option);

}  // namespace tailwave
