#pragma once

#include <filesystem>

#include "cli/console.h"
#include "store/database.h"

namespace tailwave {

// Of every command's --db, below the current folder.
inline constexpr const char* kDefaultDatabase = "results/tailwave.db";

// Makes a database where there is none, which is said: a command that was started in a folder below the project's would
// otherwise keep results where nobody looks for them.
Database open_to_write(const std::filesystem::path& file, const Console& console);

// Both throw Error (bad usage) where there is none, with where it may be instead.
void require_database(const std::filesystem::path& file);
Database open_to_read(const std::filesystem::path& file);

// The default database of the folder above that is the project's, or that has one, as a path from here; empty where
// the current folder is the project's, or there is no other.
std::filesystem::path default_database_above();

// Keeps the rankings of experiments with many trials, of those named or all: the last thing that a command writes. Where that
// fails it is noted, since all there is to know is stored.
void keep_rankings_or_note(Database& database, const Console& console,
                           const std::vector<std::string>& experiments = {});

}  // namespace tailwave
