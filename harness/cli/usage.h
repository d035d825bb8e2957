#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tailwave {

// What CLI11 says too little of. Each throws Error (bad usage) with the word that is nearest, or with where to look.

// For a word that is none of the commands of `app`; returns for one that is, and for an option.
void refuse_unknown_command(const CLI::App& app, const std::string& word);

// After `app` has refused a command line: what is wrong with it, in tailwave's words.
[[noreturn]] void refuse_command_line(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tailwave
