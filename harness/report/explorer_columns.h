#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/explorer.h"
#include "report/study.h"

namespace tailwave {

// Texts of rows as {"values": those that differ, "codes": one a row, -1 for ""}.
nlohmann::json coded_texts(const std::vector<std::string>& texts);

// A number with six significant digits; null for none and for what is not finite.
nlohmann::json short_number(const std::optional<double>& value);

// "columns" and "constant" of Explorer::json().
struct ExplorerColumns {
  std::vector<nlohmann::json> columns;
  std::vector<std::pair<std::string, std::string>> constant;
};
ExplorerColumns explorer_columns(const Study& study, const std::vector<const StudyRow*>& rows,
                                 const std::map<std::string, ExplorerCounters>& counters);

}  // namespace tailwave
