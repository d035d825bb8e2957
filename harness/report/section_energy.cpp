#include "report/section_energy.h"

#include "report/markdown.h"

namespace tailwave {

std::string energy_part(const DeviceStudy& device) {
  if (device.energy.rows.empty()) return "";
  MarkdownTable table({"configuration", "burst:", "sustained:", "times:", "power:", "energy:", "SM clock:",
                       "throttled by", "not known"});
  for (const auto& row : device.energy.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      const auto* const text = std::get_if<std::string>(&cell);
      if (cells.empty())
        cells.push_back(code(*text));
      else
        cells.push_back(text == nullptr ? "" : prose(*text));
    }
    table.add(std::move(cells));
  }
  return "\n### Energy, and the time that lasts\n\nExecuted back to back for seconds: the whole GPU's power, and beside the "
         "median of the samples (burst) the time of one execution then (sustained).\n\n" +
         table.text();
}

}  // namespace tailwave
