#include "report/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/table.h"
#include "report/markdown.h"
#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostEffects = 12;  // of a problem
constexpr std::size_t kMostProblems = 4;

// The columns of tables/importance.sql.
enum EffectColumn : std::size_t {
  kRunKind = 2,
  kProblem,
  kConfigurations,
  kParameter,
  kWith,
  kValues,
  kShare,
  kBestValue,
  kInBest,
  kRange
};

std::string effect_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? "" : format_number(*number);
}

bool may_have_importance(const DeviceStudy& device) {
  std::map<Values, std::size_t> timed;
  for (const StudyRow& row : device.rows)
    if (row.correct() && device.competes(row)) ++timed[row.problem];
  return std::any_of(timed.begin(), timed.end(),
                     [](const auto& one) { return one.second >= kFewestForImportance; });
}

std::string effect_table(const std::vector<const std::vector<Cell>*>& rows) {
  MarkdownTable table({"parameter", "values:", "share of the variance:", "best value",
                       "in the best configuration", "worst / best value:"});
  for (const std::vector<Cell>* row : rows) {
    const std::string with = effect_text(row->at(kWith));
    std::string name = code(effect_text(row->at(kParameter)));
    if (!with.empty()) name += " with " + code(with);
    table.add({name, effect_text(row->at(kValues)),
               fmt::format("{:.1f} %", 100 * std::get<double>(row->at(kShare))),
               prose(effect_text(row->at(kBestValue))), prose(effect_text(row->at(kInBest))),
               effect_text(row->at(kRange))});
  }
  return table.text();
}

}  // namespace

std::string importance_section(Database& database, const Study& study, const DeviceStudy& device) {
  if (!may_have_importance(device)) return "";
  const Table effects =
      run_query(database, find_query("importance"),
                {{"experiment", study.name()}, {"device", device.device}, {"limit", kMostEffects}});
  std::map<std::string, std::vector<const std::vector<Cell>*>> by_problem;
  for (const std::vector<Cell>& row : effects.rows) {
    const bool enough =
        std::get<std::int64_t>(row[kConfigurations]) >= static_cast<std::int64_t>(kFewestForImportance);
    if (enough && effect_text(row[kRunKind]) == to_string(device.kind))
      by_problem[effect_text(row[kProblem])].push_back(&row);
  }
  // A single parameter explains everything.
  std::erase_if(by_problem, [](const auto& one) { return one.second.size() < 2; });
  if (by_problem.empty()) return "";
  std::string text =
      "\n"
      "### Which parameters matter\n\n"
      "The share of the variance of the logarithm of the cost that a parameter explains alone, "
      "and that a pair explains beyond the best sum of a function of each. "
      "The best value is the one with the lowest geometric mean; "
      "`worst / best value` is the ratio of these means.\n";
  std::size_t shown = 0;
  for (const auto& [problem, rows] : by_problem) {
    if (shown++ == kMostProblems) break;
    if (by_problem.size() > 1) text += fmt::format("\n{}:\n", code(problem));
    text += "\n" + effect_table(rows);
  }
  if (by_problem.size() > kMostProblems)
    text += fmt::format("\nThe first {} of {} problems; `tailwave query importance` has the others.\n",
                        kMostProblems, by_problem.size());
  return text;
}

}  // namespace tailwave
