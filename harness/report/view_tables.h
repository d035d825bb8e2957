#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

inline constexpr std::int64_t kMostStudied = 20'000;

// While it lives, the views that a report asks hundreds of times are temporary tables of this connection, filled once, and all
// other views read these. Statements find them by the same names, and get the same rows; but of an experiment on a device with more
// than kMostStudied trials a choice of about so many (choose_ranked_trials). It shows what the database had when
// it was made: another program that writes meanwhile is not seen by half.
class ViewTables {
 public:
  struct View {
    std::string name, sql;   // what stands behind AS
    bool temporary = false;  // laid over a stored one
  };

  // Where experiments are named, NAME or SYSTEM/NAME, there are no tables, only the choice of the large ones of these: for a
  // database of which a report needs a small part.
  explicit ViewTables(Database& database, const std::vector<std::string>& experiments = {});
  ~ViewTables();
  ViewTables(const ViewTables&) = delete;
  ViewTables& operator=(const ViewTables&) = delete;

 private:
  void fill_tables(const std::string& columns);

  Database& database_;
  std::vector<View> views_;       // as they were
  std::set<std::string> tables_;  // of these
};

}  // namespace tailwave
