#include "report/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/table.h"
#include "report/markdown.h"
#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostEffects = 12;  // of a space
constexpr std::size_t kMostSpaces = 6;

// The columns of tables/importance.sql.
enum EffectColumn : std::size_t {
  kRunKind = 2,
  kProblem,
  kOfVariant,
  kParameter,
  kWith,
  kValues,
  kShare,
  kAlone,
  kBestValue,
  kInBest,
  kRange,
  kConfigurations
};

std::string effect_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? "" : format_number(*number);
}

std::string percent_text(const Cell& cell) {
  const auto* const share = std::get_if<double>(&cell);
  return share == nullptr ? "" : fmt::format("{:.1f} %", 100 * *share);
}

bool may_have_importance(const DeviceStudy& device) {
  std::map<std::pair<Values, std::string>, std::size_t> timed;
  for (const StudyRow& row : device.rows)
    if (row.correct() && device.competes(row)) ++timed[{row.problem, row.variant}];
  return std::any_of(timed.begin(), timed.end(),
                     [](const auto& one) { return one.second >= kFewestForImportance; });
}

std::string effect_table(const std::vector<const std::vector<Cell>*>& rows) {
  MarkdownTable table({"parameter", "values:", "share of the variance:", "alone:", "best value",
                       "in the best configuration", "worst / best value:"});
  for (const std::vector<Cell>* row : rows) {
    const std::string with = effect_text(row->at(kWith));
    const std::string parameter = effect_text(row->at(kParameter));
    std::string name = parameter.starts_with('(') ? prose(parameter) : code(parameter);
    if (!with.empty()) name += " with " + code(with);
    table.add({name, effect_text(row->at(kValues)), percent_text(row->at(kShare)),
               percent_text(row->at(kAlone)), prose(effect_text(row->at(kBestValue))),
               prose(effect_text(row->at(kInBest))), effect_text(row->at(kRange))});
  }
  return table.text();
}

// "`{"N":4096}`, variant `tuned`".
std::string space_text(const std::string& problem, const std::string& variant) {
  return code(problem) + (variant.empty() ? ", all variants" : ", variant " + code(variant));
}

}  // namespace

std::string importance_section(Database& database, const Study& study, const DeviceStudy& device) {
  if (!may_have_importance(device)) return "";
  const Table effects =
      run_query(database, find_query("importance"),
                {{"experiment", study.name()}, {"device", device.device}, {"limit", kMostEffects}});
  std::map<std::pair<std::string, std::string>, std::vector<const std::vector<Cell>*>> spaces;
  for (const std::vector<Cell>& row : effects.rows) {
    const bool enough =
        std::get<std::int64_t>(row[kConfigurations]) >= static_cast<std::int64_t>(kFewestForImportance);
    if (enough && effect_text(row[kRunKind]) == to_string(device.kind))
      spaces[{effect_text(row[kProblem]), effect_text(row[kOfVariant])}].push_back(&row);
  }
  // A single parameter explains everything: it and the rest are two rows.
  std::erase_if(spaces, [](const auto& one) { return !one.first.second.empty() && one.second.size() < 3; });
  const auto has_variant = [](const auto& one) { return !one.first.second.empty(); };
  if (std::ranges::none_of(spaces, has_variant)) return "";
  std::string text =
      "\n"
      "### Which parameters matter\n\n"
      "The share of the variance of the logarithm of the cost that each parameter adds to those above it, "
      "and that a pair explains beyond single parameters; shares add up to 100 %. `alone` is what a parameter "
      "would explain without the others: more than its share where others go along with it. "
      "The best value is the one with the lowest geometric mean; "
      "`worst / best value` is the ratio of these means.\n";
  std::size_t shown = 0;
  for (const auto& [space, rows] : spaces) {
    if (shown++ == kMostSpaces) break;
    if (spaces.size() > 1) text += fmt::format("\n{}:\n", space_text(space.first, space.second));
    text += "\n" + effect_table(rows);
  }
  if (spaces.size() > kMostSpaces)
    text += fmt::format("\nThe first {} of {} spaces; `tailwave query importance` has the others.\n",
                        kMostSpaces, spaces.size());
  return text;
}

}  // namespace tailwave
