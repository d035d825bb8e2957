#include "report/simulations.h"

#include <fmt/format.h>

#include "core/table.h"
#include "report/markdown.h"
#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

// The columns of tables/simulations.sql.
enum ScoreColumn : std::size_t {
  kRole,
  kSpace,
  kDevice,
  kStrategy,
  kGiven,
  kSpaces,
  kPoints,
  kFailed,
  kBudget,
  kSeeds,
  kScore,
  kBounded,
  kScoreByTime,
  kWeighted,
  kBudgetSeconds,
  kDeviation,
  kBestOverOptimum,
  kSeconds
};

std::string simulated_text(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

std::string score_cell(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? "" : fmt::format("{:.3f}", *number);
}

std::string count_cell(const Cell& cell) {
  const auto* count = std::get_if<std::int64_t>(&cell);
  return count == nullptr ? "" : fmt::format("{}", *count);
}

bool same_table(const std::vector<Cell>& one, const std::vector<Cell>& other) {
  return one[kRole] == other[kRole] && one[kSpace] == other[kSpace] && one[kDevice] == other[kDevice];
}

std::string heading_of(const std::vector<Cell>& row) {
  const std::string of = simulated_text(row[kRole]);
  if (std::holds_alternative<std::monostate>(row[kDevice]))
    return of == "all" ? "All spaces" : fmt::format("All spaces: {}", of);
  return fmt::format("{} on {}: {}", prose(simulated_text(row[kSpace])), prose(simulated_text(row[kDevice])),
                     of);
}

MarkdownTable empty_table() {
  return MarkdownTable({"strategy", "options", "spaces:", "seeds:", "score:", "bounded:", "by time:",
                        "by budget:", "deviation:", "best / optimum:"});
}

void add_row(MarkdownTable& table, const std::vector<Cell>& row) {
  const std::string options = simulated_text(row[kGiven]);
  const bool overall = std::holds_alternative<std::monostate>(row[kDevice]);
  table.add({code(simulated_text(row[kStrategy])), options.empty() ? "" : code(options),
             overall ? count_cell(row[kSpaces]) : "", count_cell(row[kSeeds]), score_cell(row[kScore]),
             score_cell(row[kBounded]), score_cell(row[kScoreByTime]), score_cell(row[kWeighted]),
             score_cell(row[kDeviation]), score_cell(row[kBestOverOptimum])});
}

std::string facts_of(const std::vector<Cell>& row) {
  if (std::holds_alternative<std::monostate>(row[kDevice])) return "";
  const auto* seconds = std::get_if<double>(&row[kBudgetSeconds]);
  return fmt::format("{} configurations, {} of them failed; the budget is {} evaluations{}.\n\n",
                     count_cell(row[kPoints]), count_cell(row[kFailed]), count_cell(row[kBudget]),
                     seconds == nullptr ? "" : fmt::format(", {:.3g} s as recorded", *seconds));
}

}  // namespace

std::string simulations_page(Database& database, const std::string& charts) {
  const Table scores = run_query(database, find_query("simulations"));
  if (scores.rows.empty()) return "";
  std::string text =
      "# Simulated searches\n\n"
      "Strategies that searched recorded spaces, without measuring anything (`tailwave simulate`). "
      "A score of 1 is the optimum at once, 0 what random search is expected to find, "
      "averaged over the budget of a space; `bounded` counts what is worse than that as -1 at most, "
      "`by time` is averaged over the seconds that the budget took when it was recorded, "
      "`by budget` weighs spaces by their budgets, "
      "and `deviation` is the standard deviation over the seeds.\n";
  for (std::size_t first = 0; first < scores.rows.size();) {
    MarkdownTable table = empty_table();
    std::size_t end = first;
    for (; end < scores.rows.size() && same_table(scores.rows[first], scores.rows[end]); ++end)
      add_row(table, scores.rows[end]);
    text += fmt::format("\n## {}\n\n{}{}", heading_of(scores.rows[first]), facts_of(scores.rows[first]),
                        table.text());
    first = end;
  }
  return text + charts;
}

}  // namespace tailwave
