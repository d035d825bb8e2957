#include "cli/over_sizes_said.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/leaders_said.h"
#include "cli/number_check.h"
#include "cli/progress.h"
#include "cli/result_json.h"
#include "cli/session.h"
#include "core/error.h"
#include "report/units.h"
#include "spec/configuration_walk.h"
#include "tune/search_cost.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string figures(const SizesChoice& choice) {
  return fmt::format("geometric mean {:.4g} of each size's best, worst case {:.4g}", choice.geometric_mean,
                     choice.worst_case);
}

// How sure it is that nothing better can be chosen of what was measured.
std::string certainty(const OverSizes& answer) {
  std::string text = fmt::format(
      "{} of {} measured at all sizes",
      answer.choice.exact ? "exact: no choice is better" : "greedy and bettered by exchange, not exact:",
      counted(answer.everywhere, "configuration"));
  if (answer.compared > answer.everywhere)
    text += fmt::format(" and {} at some", answer.compared - answer.everywhere);
  if (answer.failed > 0) text += fmt::format("; {} failed at a size and cannot be chosen", answer.failed);
  return text;
}

bool has_weights(const OverSizes& answer) {
  return std::ranges::any_of(answer.sizes, [](const OverSizes::Size& size) { return size.weight != 1; });
}

Table sizes_table(const Experiment& experiment, const OverSizes& answer) {
  const ShownMetric metric = shown_metric(experiment.metric);
  const bool weighted = has_weights(answer), several = answer.kept.size() > 1 && answer.single;
  Table table{{"size"}, {}};
  if (weighted) table.columns.emplace_back("weight");
  table.columns.insert(table.columns.end(),
                       {"configuration", metric_heading(metric), "of its best", "its best"});
  if (several) table.columns.emplace_back("best single one");
  for (const OverSizes::Size& size : answer.sizes) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(answer.words(size));
    if (weighted) cells.emplace_back(fmt::format("{:g}", size.weight));
    cells.emplace_back(answer.kept[size.serving].name());
    cells.emplace_back(format_metric(metric, value_of(experiment.metric, size.best_cost * size.ratio)));
    cells.emplace_back(fmt::format("{:.3f}", size.ratio));
    cells.emplace_back(without_problem(size.best).name());
    if (several) cells.emplace_back(fmt::format("{:.3f}", size.single_ratio));
  }
  return table;
}

OrderedJson choice_json(const SizesChoice& choice) {
  return {
      {"geometric_mean", choice.geometric_mean}, {"worst_case", choice.worst_case}, {"exact", choice.exact}};
}

OrderedJson configuration_json(const Configuration& configuration) {
  return {{"variant", configuration.variant}, {"parameters", values_json(configuration.parameters)}};
}

}  // namespace

std::optional<OverSizesOptions> OverSizesArguments::options() const {
  if (!wanted && (keep || worst_case))
    throw Error(Diagnostic{.place = keep ? "--keep" : "--worst-case",
                           .cause = "says something of --over-sizes, which is not there",
                           .hint = "add --over-sizes"});
  if (!wanted) return std::nullopt;
  return OverSizesOptions{.keep = static_cast<std::size_t>(keep.value_or(1)),
                          .goal = worst_case ? SizesGoal::worst_case : SizesGoal::geometric_mean};
}

void add_over_sizes_options(Command& command, OverSizesArguments& arguments, const std::string& what) {
  command.add_flag("--over-sizes", arguments.wanted, what);
  command
      .add_option(
          "--keep", arguments.keep,
          "with --over-sizes: how many configurations are kept at most; each size has the best of them")
      ->check(whole_number(1, 1000))
      ->default_str("1");
  command.add_flag(
      "--worst-case", arguments.worst_case,
      "with --over-sizes: the least worst case of time over each size's best, instead of the least "
      "weighted geometric mean");
}

void require_several(const Experiment& experiment, DeviceKind device) {
  if (CaseParts(experiment, device == DeviceKind::cpu).problems() > 1) return;
  throw Error(Diagnostic{.file = experiment.file.string(),
                         .place = "/problem",
                         .cause = "--over-sizes needs several sizes, and the experiment has one here",
                         .hint = R"(list them: "problem": [{"N": 1024, "weight": 3}, {"N": 4096}])"});
}

void require_kept(const Experiment& experiment, const OverSizes& answer) {
  if (!answer.kept.empty()) return;
  throw Error(fmt::format("{}: {}\n  more configurations may serve them together: --keep", experiment.name,
                          answer.why_none));
}

void say_over_sizes(const Experiment& experiment, const OverSizesSummary& summary,
                    const OverSizesArguments& arguments, const Console& console) {
  const OverSizes& answer = summary.answer;
  std::string head =
      fmt::format("\n{}: one answer for {} ({})", experiment.name, counted(answer.sizes.size(), "size"),
                  arguments.worst_case  ? "the least worst case"
                  : has_weights(answer) ? "the least weighted geometric mean"
                                        : "the least geometric mean");
  if (!console.quiet() && summary.run)
    head += fmt::format("\n{} measured, interleaved; {}", counted(summary.candidates, "candidate"),
                        time_spent(summary.phases, summary.total_s));
  console.say(head + "\n");
  if (answer.kept.empty()) return;  // an error says why
  console.say(fmt::format("{}: {}\n", counted(answer.kept.size(), "configuration"), figures(answer.choice)));
  for (const Configuration& one : answer.kept) console.say("  " + one.name() + "\n");
  console.show(sizes_table(experiment, answer));
  if (answer.kept.size() > 1)
    console.say(answer.single ? fmt::format("best single one: {}, {}\n", answer.single->name(),
                                            figures(answer.single_choice))
                              : "no single one serves all sizes\n");
  console.say(certainty(answer) + "\n");
}

OrderedJson over_sizes_json(const Experiment& experiment, const OverSizesSummary& summary) {
  const OverSizes& answer = summary.answer;
  OrderedJson kept = OrderedJson::array(), sizes = OrderedJson::array();
  for (const Configuration& one : answer.kept) kept.push_back(configuration_json(one));
  for (const OverSizes::Size& size : answer.sizes) {
    if (answer.kept.empty()) break;
    sizes.push_back({{"problem", values_json(size.problem)},
                     {"weight", size.weight},
                     {"kept", size.serving},
                     {"value", value_of(experiment.metric, size.best_cost * size.ratio)},
                     {"ratio", size.ratio},
                     {"best", configuration_json(size.best)},
                     {"best_value", value_of(experiment.metric, size.best_cost)},
                     {"single_ratio", nullptr}});
    if (std::isfinite(size.single_ratio)) sizes.back()["single_ratio"] = size.single_ratio;
  }
  OrderedJson json{{"run", nullptr},
                   {"interrupted", summary.interrupted},
                   {"seconds", summary.total_s},
                   {"candidates", summary.candidates},
                   {"failed", answer.failed},
                   {"kept", kept},
                   {"sizes", sizes},
                   {"single", nullptr}};
  if (summary.run) json["run"] = *summary.run;
  if (!answer.kept.empty()) json.update(choice_json(answer.choice));
  if (answer.single) {
    json["single"] = configuration_json(*answer.single);
    json["single"].update(choice_json(answer.single_choice));
  }
  return json;
}

}  // namespace tailwave
