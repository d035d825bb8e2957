#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/console.h"
#include "report/winner.h"

namespace tailwave {

// For people: the winner of one problem in lines, of several in a table.
void say_winners(const Study& study, const std::vector<Winner>& winners, const Console& console);

// The same for --json: docs/terminal.md.
nlohmann::ordered_json winner_json(const Winner& winner);
nlohmann::ordered_json winners_json(const std::vector<Winner>& winners);

}  // namespace tailwave
