#include "report/section_regimes.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markdown.h"
#include "report/regime_text.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostTables = 8;  // problems

// What is measured later may have another winner.
std::string other_winner(const DeviceStudy& device, const RegimeAnswer& answer, const RegimeWords& words) {
  for (const StudyRow* best : device.best_of_problems())
    if (best->problem == answer.problem && best->configuration != answer.winner)
      return fmt::format(" Since then {} has become the best.", words.called(best->configuration));
  return "";
}

std::string table_text(const RegimeAnswer& answer, const RegimeWords& words) {
  MarkdownTable table({"regime", "measured", "winner:", "verdict", "times the best:", "best there", "tied"});
  for (const auto& row : shown_regimes(answer, words).rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      const auto* const text = std::get_if<std::string>(&cell);
      cells.push_back(text == nullptr ? "" : *text);
    }
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string regimes_part(const DeviceStudy& device, const Labels& labels) {
  if (device.regimes.empty()) return "";
  const RegimeWords words{
      .called = [&](const std::string& name) { return configuration_label(device, labels, name); },
      .text = prose};
  std::string text = "\n### Does the winner hold?\n";
  for (const RegimeAnswer& answer : device.regimes) {
    const std::string problem = problem_words(answer, device.regimes);
    text += fmt::format("\n{}{}{}\n", problem.empty() ? "" : prose(problem.substr(1)) + ": ",
                        answer_text(answer, words), other_winner(device, answer, words));
    if (device.regimes.size() <= kMostTables) text += "\n" + table_text(answer, words);
  }
  if (device.regimes.size() > kMostTables) text += "\n`tailwave query regimes` has the figures.\n";
  return text;
}

}  // namespace tailwave
