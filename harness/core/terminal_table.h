#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/table.h"

namespace tailwave {

struct TerminalStyle {
  std::size_t columns = 0;  // how wide the terminal is; 0: as wide as need be
  bool colour = false;      // ANSI colours for headings, outcomes and verdicts
};

// As the format "table". Where that is wider than the terminal, long texts are folded into several lines, and what is
// then still too wide becomes several tables below each other that repeat the first columns, as many as tell the rows
// apart; where these leave no room for another one, all of them begin with the number of the row. Nothing is cut off.
std::string render_for_terminal(const Table& table, const TerminalStyle& style);

// Lines of at most so many columns, ended at spaces, what goes on indented further; 0: as wide as they are. A command
// in quotes ('tailwave query runs') stays on one line, so that it can be copied.
std::string wrapped(std::string_view text, std::size_t columns);

}  // namespace tailwave
