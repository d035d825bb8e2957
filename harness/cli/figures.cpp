#include "cli/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "cli/leaders_said.h"
#include "cli/result_json.h"
#include "cli/winner_said.h"
#include "report/study_reader.h"
#include "report/winner.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kOfAllProblems = "all", kEmptyField = "-";
constexpr std::string_view kCountUnit = "count", kRatioUnit = "1", kTextUnit = "text";

std::string metric_unit(const ShownMetric& metric) {
  if (metric.own) return metric.unit.empty() ? std::string(kRatioUnit) : metric.unit;
  return is_time(metric.name) ? "s" : metric_heading(metric);
}

OrderedJson counts_json(const DeviceStudy& device) {
  const auto count = [&](const auto& is_one) { return std::ranges::count_if(device.rows, is_one); };
  return {{"configurations", device.rows.size()},
          {"correct", count([](const StudyRow& row) { return row.correct() && row.unverified.empty(); })},
          {"unverified", count([](const StudyRow& row) { return row.correct() && !row.unverified.empty(); })},
          {"failed", count([](const StudyRow& row) { return is_failure(row.outcome); })},
          {"wrong_result", count([](const StudyRow& row) { return row.outcome == Outcome::wrong_result; })}};
}

OrderedJson without_winner_json(const DeviceStudy& device, const std::vector<Winner>& winners) {
  std::set<Values> problems;
  for (const StudyRow& row : device.rows) problems.insert(row.problem);
  for (const Winner& winner : winners) problems.erase(winner.row->problem);
  OrderedJson all = OrderedJson::array();
  for (const Values& problem : problems) all.push_back(values_json(problem));
  return all;
}

// Of printable ASCII without spaces, as a URL has it: "NVIDIA%20H200".
std::string encoded(std::string_view text) {
  std::string field;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '%')
      field += c;
    else
      field += fmt::format("%{:02X}", byte);
  }
  return field.empty() ? std::string(kEmptyField) : field;
}

std::string plain(const OrderedJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "DT=0.01,N=4096"
std::string quantities_field(const OrderedJson& problem) {
  std::string text;
  for (const auto& [name, value] : problem.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, plain(value));
  return text;
}

class FigureLines {
 public:
  explicit FigureLines(const OrderedJson& answers)
      : place_(fmt::format("FOM experiment={} device={}",
                           encoded(plain(answers.at("system")) + "/" + plain(answers.at("experiment"))),
                           encoded(plain(answers.at("device"))))),
        metric_(answers.at("metric")) {}

  void add_winner(const OrderedJson& winner) {
    problem_ = encoded(quantities_field(winner.at("problem")));
    add("time", winner.at("median_ns"), "ns");
    if (const OrderedJson& interval = winner.at("median_ns_95"); !interval.is_null()) {
      add("time_low", interval.at(0), "ns");
      add("time_high", interval.at(1), "ns");
    }
    add("samples", winner.at("samples"), kCountUnit);
    add("metric." + plain(metric_.at("name")), winner.at("value"), plain(metric_.at("unit")));
    add("winner", winner.at("configuration"), kTextUnit);
    for (const char* name : {"tied", "unclear", "others"}) add(name, winner.at(name), kCountUnit);
    if (const OrderedJson& baseline = winner.at("baseline"); !baseline.is_null())
      add("times_baseline", baseline.at("times"), kRatioUnit);
  }

  void add_whole(const OrderedJson& answers) {
    problem_ = kOfAllProblems;
    for (const auto& [name, count] : answers.at("results").items()) add(name, count, kCountUnit);
    if (answers.contains("seconds")) add("seconds", answers.at("seconds"), "s");
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  // What is not known has no line.
  void add(const std::string& figure, const OrderedJson& value, std::string_view unit) {
    if (!value.is_null())
      text_ += fmt::format("{} problem={} figure={} value={} unit={}\n", place_, problem_, encoded(figure),
                           encoded(plain(value)), encoded(unit));
  }

  std::string place_, problem_, text_;
  const OrderedJson& metric_;
};

OrderedJson answers_of_study(Database& database, const Study& study) {
  const std::vector<Winner> winners = winners_of(database, study.devices.front());
  return {{"system", study.system},
          {"experiment", study.experiment},
          {"device", study.devices.front().device},
          {"metric", {{"name", study.metric.name}, {"unit", metric_unit(study.metric)}}},
          {"results", counts_json(study.devices.front())},
          {"winners", winners_json(winners)},
          {"without_winner", without_winner_json(study.devices.front(), winners)}};
}

void require_winners(const OrderedJson& answers) {
  if (answers.at("without_winner").empty() && !answers.at("winners").empty()) return;
  std::string problems;
  for (const OrderedJson& problem : answers.at("without_winner"))
    problems += (problems.empty() ? " of " : " and of ") + quantities_field(problem);
  const std::string name = plain(answers.at("system")) + "/" + plain(answers.at("experiment"));
  throw Error(
      fmt::format("{} on {}: no figures{}, since no configuration is a winner\n"
                  "  'tailwave query failures --experiment {}' says what failed",
                  name, plain(answers.at("device")), problems, name));
}

}  // namespace

void add_figures_option(Command& command, bool& figures) {
  command
      .add_flag(
          "--fom", figures,
          "end with lines that JUBE, ReFrame and Ramble read, 'FOM experiment=...', a figure each; status 1 "
          "where there is none")
      ->excludes({"--json"});
}

OrderedJson answers_json(Database& database, const Experiment& experiment, const DeviceDescription& device) {
  const std::vector<Study> studies = load_results(
      database,
      Values{{"experiment", experiment.system.name + "/" + experiment.name}, {"device", device.name}});
  if (!studies.empty()) return answers_of_study(database, studies.front());
  Study nothing{.system = experiment.system.name,
                .experiment = experiment.name,
                .metric = shown_metric(experiment.metric)};
  nothing.devices.emplace_back().device = device.name;
  return answers_of_study(database, nothing);
}

OrderedJson answers_json(Database& database, const std::string& experiment, const std::string& device) {
  return answers_of_study(database, load_results(database, experiment, device));
}

OrderedJson answers_of_searches(Database& database, const Experiment& experiment,
                                const DeviceDescription& device, const OrderedJson& searches) {
  OrderedJson answers = answers_json(database, experiment, device);
  answers["winners"] = OrderedJson::array();
  answers["without_winner"] = OrderedJson::array();
  double seconds = 0;
  for (const OrderedJson& search : searches) {
    seconds += search.at("seconds").get<double>();
    const bool has_winner = !search.at("winner").is_null();
    answers[has_winner ? "winners" : "without_winner"].push_back(
        search.at(has_winner ? "winner" : "problem"));
  }
  answers["seconds"] = seconds;
  return answers;
}

void take_winners(OrderedJson& answers) {
  for (const OrderedJson& winner : answers.at("winners"))
    answers.at("without_winner").push_back(winner.at("problem"));
  answers["winners"] = OrderedJson::array();
}

std::string figure_lines(const OrderedJson& answers) {
  if (answers.at("winners").empty()) return "";
  FigureLines lines(answers);
  for (const OrderedJson& winner : answers.at("winners")) lines.add_winner(winner);
  lines.add_whole(answers);
  return lines.text();
}

void print_figures(const OrderedJson& all) {
  for (const OrderedJson& answers : all) fmt::print("{}", figure_lines(answers));
}

void require_figures(const OrderedJson& all) {
  for (const OrderedJson& answers : all) require_winners(answers);
}

}  // namespace tailwave
