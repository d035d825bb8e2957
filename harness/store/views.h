#pragma once

#include <string>
#include <vector>

namespace tailwave {

// A view of harness/store/views, as this program was built with it. Views are made of plain SQL, so that any SQLite
// program of version 3.40 or newer reads them.
struct View {
  std::string name;
  std::string description;  // the comment at the head of its file, on one line
  std::string sql;          // CREATE VIEW, as SQLite keeps it

  // The description's first sentence, up to its colon or full stop.
  [[nodiscard]] std::string title() const;
};

// By name.
std::vector<View> program_views();

}  // namespace tailwave
