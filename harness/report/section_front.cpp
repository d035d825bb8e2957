#include "report/section_front.h"

#include <fmt/format.h>

#include "report/markdown.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostFronts = 8;  // problems

std::string front_table(const Front& front) {
  const Table shown = front_shown(front);
  std::vector<std::string> headings{"configuration"};
  for (std::size_t i = 1; i < shown.columns.size(); ++i) headings.push_back(prose(shown.columns[i]) + ":");
  MarkdownTable table(headings);
  for (const auto& row : shown.rows) {
    std::vector<std::string> cells{code(std::get<std::string>(row.at(0)))};
    for (std::size_t i = 1; i < row.size(); ++i) cells.push_back(prose(std::get<std::string>(row[i])));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string fronts_part(const DeviceStudy& device) {
  if (device.fronts.empty()) return "";
  std::string text = "\n### Which no other one beats\n";
  for (std::size_t i = 0; i < device.fronts.size() && i < kMostFronts; ++i)
    text += fmt::format("\n{}.\n\n{}", prose(device.fronts[i].text()), front_table(device.fronts[i]));
  if (device.fronts.size() > kMostFronts)
    text += fmt::format("\nOf {} problems the first {}; `tailwave query front` has the others.\n",
                        device.fronts.size(), kMostFronts);
  return text;
}

}  // namespace tailwave
