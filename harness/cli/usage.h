#pragma once

#include <string>

#include "cli/command_line.h"

namespace tailwave {

// What CLI11 says too little of. Each throws Error (bad usage) with the word that is nearest, or with where to look.

// For a word that is none of the commands of `app`; returns for one that is, and for an option.
void refuse_unknown_command(const Command& app, const std::string& word);

// After `app` has refused a command line: what is wrong with it, in tailwave's words.
[[noreturn]] void refuse_command_line(const Command& app, const CommandLineError& error);

}  // namespace tailwave
