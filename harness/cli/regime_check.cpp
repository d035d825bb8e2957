#include "cli/regime_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/number_check.h"
#include "cli/result_json.h"
#include "report/regime_text.h"
#include "spec/regime_reader.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Of the problems that the summary is about.
std::vector<RegimeAnswer> answers_of(Database& database, const Experiment& experiment,
                                     const DeviceDescription& device, const RegimeSummary& summary) {
  std::vector<RegimeAnswer> answers = regime_answers(
      database, {{"experiment", experiment.system.name + "/" + experiment.name}, {"device", device.name}});
  std::erase_if(answers, [&](const RegimeAnswer& answer) {
    return answer.device != device.name ||
           std::ranges::none_of(summary.problems, [&](const ProblemFinalists& problem) {
             return problem.problem == answer.problem && problem.finalists.size() > 1;
           });
  });
  return answers;
}

std::string left_out_text(const RegimeSummary& summary) {
  std::size_t left_out = 0;
  for (const ProblemFinalists& problem : summary.problems) left_out += problem.left_out;
  if (left_out == 0) return "";
  return fmt::format(
      "{} more that are not shown to be slower than the best, or near it, were not measured in regimes "
      "(--finalists)\n",
      left_out);
}

std::string alone_text(const RegimeSummary& summary) {
  std::string text;
  if (summary.problems.empty())
    text = "regimes: no configuration is correct, so there is nothing to measure\n";
  for (const ProblemFinalists& problem : summary.problems)
    if (problem.finalists.size() == 1)
      text += fmt::format(
          "regimes: nothing to compare {} with: no other is correct and takes up to {:g} times as long\n",
          problem.finalists.front().configuration.name(), kVariantFactor);
  return text;
}

OrderedJson finite(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson();
}

OrderedJson interval_json(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return OrderedJson::array({finite(interval->low), finite(interval->high)});
}

OrderedJson finding_json(const RegimeFinding& finding) {
  const RegimeTime& winner = finding.winner;
  const bool timed = winner.standing.has_value();
  OrderedJson json{{"regime", finding.regime}, {"mode", finding.mode},
                   {"cache", finding.cache},   {"fills", values_json(finding.fills)},
                   {"own", finding.own},       {"outcome", to_string(winner.outcome)},
                   {"verdict", nullptr},       {"median_us", nullptr},
                   {"ratio", nullptr},         {"ratio_95", nullptr},
                   {"best", nullptr},          {"best_us", nullptr},
                   {"tied", finding.tied},     {"unclear", finding.unclear}};
  if (timed) {
    json["verdict"] = to_string(*winner.standing);
    json["median_us"] = winner.median_us;
    json["ratio"] = finite(winner.ratio);
    json["ratio_95"] = interval_json(winner.interval);
  } else if (!winner.detail.empty()) {
    json["detail"] = winner.detail;
  }
  if (finding.measured) {
    json["best"] = finding.best;
    json["best_us"] = finding.best_us;
  }
  return json;
}

OrderedJson answer_json(const RegimeAnswer& answer) {
  OrderedJson regimes = OrderedJson::array();
  for (const RegimeFinding& one : answer.regimes) regimes.push_back(finding_json(one));
  OrderedJson json{{"problem", values_json(answer.problem)},
                   {"answer", to_string(answer.verdict)},
                   {"text", answer_text(answer, {.called = [](const std::string& name) { return name; }})},
                   {"winner", answer.winner},
                   {"run", answer.run},
                   {"regimes", regimes},
                   {"least_worst", nullptr}};
  if (answer.least_worst)
    json["least_worst"] = {{"configuration", answer.least_worst->configuration},
                           {"regime", answer.least_worst->regime},
                           {"ratio", finite(answer.least_worst->ratio)},
                           {"ratio_95", interval_json(answer.least_worst->interval)},
                           {"holds", answer.least_worst->holds}};
  return json;
}

}  // namespace

Option* add_regime_options(Command& command, RegimeArguments& arguments) {
  Option* const regimes = command.add_option(
      "--regimes", arguments.names,
      "measure the best again in these regimes, interleaved, to see whether the winner holds: hot, cold, rotate, "
      "batched, graph, or others of the spec (default: those of the spec)");
  regimes->delimiter(',')->one_value_each();
  command.add_flag("--no-regimes", arguments.none, "leave out the regimes of the spec")->excludes(regimes);
  command.add_option("--finalists", arguments.most, "how many of a problem are measured in regimes at most")
      ->check(whole_number(2, 1000))
      ->capture_default_str();
  return regimes;
}

std::vector<Regime> wanted_regimes(const RegimeArguments& arguments, const Experiment& experiment) {
  if (arguments.none) return {};
  return arguments.names.empty() ? experiment.regimes : regimes_named(arguments.names, experiment);
}

void say_regimes(Database& database, const Experiment& experiment, const DeviceDescription& device,
                 const RegimeSummary& summary, const Console& console) {
  constexpr std::size_t kMostTables = 4;
  const std::vector<RegimeAnswer> answers = answers_of(database, experiment, device, summary);
  std::string head = fmt::format("\n{}: does the winner hold?", experiment.name);
  if (!console.quiet() && summary.run) head += "\n" + time_spent(summary.phases, summary.total_s);
  console.say(head + "\n");
  for (const RegimeAnswer& answer : answers) {
    const RegimeWords words{.called = [&](const std::string& name) { return short_name(answer, name); }};
    const std::string problem = problem_words(answer, answers);
    if (answers.size() <= kMostTables) console.show(shown_regimes(answer, words));
    console.say(
        fmt::format("{}{}\n", problem.empty() ? "" : problem.substr(1) + ": ", answer_text(answer, words)));
  }
  if (answers.size() > kMostTables)
    console.say(fmt::format("'tailwave query regimes --experiment {}/{}' has the figures\n",
                            experiment.system.name, experiment.name));
  console.say(alone_text(summary) + left_out_text(summary));
}

OrderedJson regimes_json(Database& database, const Experiment& experiment, const DeviceDescription& device,
                         const RegimeSummary& summary) {
  OrderedJson answers = OrderedJson::array();
  for (const RegimeAnswer& answer : answers_of(database, experiment, device, summary))
    answers.push_back(answer_json(answer));
  OrderedJson json{{"run", nullptr},
                   {"reused", summary.reused},
                   {"interrupted", summary.interrupted},
                   {"seconds", summary.total_s},
                   {"answers", answers}};
  if (summary.run) json["run"] = *summary.run;
  return json;
}

}  // namespace tailwave
