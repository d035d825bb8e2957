#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tailwave {

// What CLI11 says too little of. Each throws Error (bad usage) with the word that is nearest, or with where to look.

// For a word that is none of the commands of `app`; returns for one that is, and for an option.
void refuse_unknown_command(const CLI::App& app, const std::string& word);

// After `app` has refused a command line: for an option that the command given does not have; returns where there is none.
void refuse_unknown_option(const CLI::App& app);

}  // namespace tailwave
