#include "report/energy.h"

#include <fmt/format.h>

#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

std::string clock_range(double low, double high) {
  return low == high ? fmt::format("{} MHz", format_number(low))
                     : fmt::format("{} to {} MHz", format_number(low), format_number(high));
}

}  // namespace

Table energy_shown(Database& database, const std::string& experiment, const std::string& device) {
  Statement row = database.prepare(
      "SELECT configuration, burst_us, sustained_us, power_w, energy_j, sm_clock_low_mhz, "
      "sm_clock_high_mhz, throttle_reasons, missing, unverified FROM (" +
      find_query("energy").sql + ")");
  row.bind(":experiment", experiment).bind(":device", device);
  Table table{{"configuration", "burst", "sustained", "times", "power", "energy", "SM clock", "throttled by",
               "not known"},
              {}};
  while (row.step()) {
    const std::string missing = row.text(8);
    const double burst_s = row.real(1) / 1e6, sustained_s = row.real(2) / 1e6;
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(row.text(0) + (row.is_null(9) ? "" : " (unverified)"));
    cells.emplace_back(format_time(burst_s));
    if (!missing.empty()) {
      cells.resize(table.columns.size() - 1);
      cells.emplace_back(missing);
      continue;
    }
    cells.emplace_back(format_time(sustained_s));
    cells.emplace_back(format_number(sustained_s / burst_s));
    cells.emplace_back(format_number(row.real(3)) + " W");
    cells.emplace_back(format_number(row.real(4)) + " J");
    cells.push_back(row.is_null(5) ? Cell{} : Cell{clock_range(row.real(5), row.real(6))});
    cells.emplace_back(row.text(7));
    cells.emplace_back();
  }
  return table;
}

}  // namespace tailwave
