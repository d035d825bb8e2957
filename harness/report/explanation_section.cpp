#include "report/explanation_section.h"

#include <fmt/format.h>

#include "report/explained_pair.h"
#include "report/labels.h"
#include "report/markdown.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostExplained = 2;  // of more the first and the last

std::string shown(const ExplainedNumber& number, const std::optional<double>& value,
                  const std::string& note) {
  if (!value) return "";
  return prose(show(number.unit, *value) + (note.empty() ? "" : " (" + note + ")"));
}

std::string table_text(const Explanation& found) {
  MarkdownTable table({"quantity", "best:", "baseline:", "more has:"});
  for (const ExplainedNumber& one : found.numbers)
    table.add({prose(one.quantity), shown(one, one.a, one.note_a), shown(one, one.b, one.note_b),
               more_text(one, "best", "baseline")});
  return table.text();
}

}  // namespace

std::string explanation_section(Database& database, const Study& study, const DeviceStudy& device) {
  if (device.kind != DeviceKind::cuda) return "";
  const Labels labels(device, study.names);
  const std::vector<ExplainedPair> pairs =
      best_and_baselines(database, {{"experiment", study.name()}, {"device", device.device}});
  std::string text;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.size() > kMostExplained && i > 0 && i + 1 < pairs.size()) continue;
    const auto label = [&](const ExplainedTrial& trial) {
      return configuration_label(device, labels, trial.configuration.name());
    };
    const Explanation found = explain(database, pairs[i], {label(pairs[i].a), label(pairs[i].b), prose});
    if (found.told_apart()) text += fmt::format("\n{}\n\n{}", found.paragraph(), table_text(found));
  }
  if (text.empty()) return "";
  return "\n### Why the best is faster\n\nThan the baseline, from what is stored of both; the faster one's number comes "
         "first. `tailwave explain A B` compares any two.\n" +
         text;
}

}  // namespace tailwave
