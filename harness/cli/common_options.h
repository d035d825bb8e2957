#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/shard.h"
#include "measure/reference.h"

namespace tailwave {

// Options that several commands have.

// `--filter`: select_configurations(); empty: all.
Option* add_filter_option(Command& command, std::string& filter);

// `--seed`, 0 to INT64_MAX: the database keeps seeds as signed numbers of 64 bits.
void add_seed_option(Command& command, std::uint64_t& seed, const std::string& description);

// `--draw`, 0 to 2^62; `otherwise` says what it is where nobody names it.
void add_draw_option(Command& command, std::optional<std::int64_t>& draw, const std::string& otherwise);

// `--shard K/N`; whole unless it is given.
Option* add_shard_option(Command& command, Shard& shard);

// `--unsafe-options`: why_not_an_option() has no objection then.
void add_unsafe_options(Command& command);

// `--reference auto|cpu|gpu`.
void add_reference_option(Command& command, ReferencePlace& place);

// `--option NAME=NUMBER`, once for each option of a strategy.
void add_strategy_options(Command& command, std::vector<std::string>& options,
                          const std::string& description);

// {"population=20"} -> {{"population", 20}}, for complete_options(). Throws Error (bad usage) for what is not
// NAME=NUMBER.
std::map<std::string, double> parse_strategy_options(const std::vector<std::string>& options);

}  // namespace tailwave
