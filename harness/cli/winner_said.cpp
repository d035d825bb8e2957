#include "cli/winner_said.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/result_json.h"
#include "core/bootstrap.h"
#include "report/question.h"

namespace tailwave {
namespace {

nlohmann::ordered_json pair_of(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {interval->low, interval->high};
}

nlohmann::ordered_json beside_json(const std::optional<Beside>& beside) {
  if (!beside) return nullptr;
  return {{"configuration", beside->row->configuration},
          {"times", beside->times},
          {"times_95", pair_of(beside->interval)}};
}

}  // namespace

void say_winners(const Study& study, const std::vector<Winner>& winners, const Console& console) {
  if (winners.size() == 1) {
    const std::string tied = tied_text(study, winners.front());
    console.say(winner_text(study, winners.front()) + (tied.empty() ? "" : "  " + tied + "\n"));
  } else if (!winners.empty()) {
    console.say("the winner of each problem:\n");
    console.show_rows(winners_table(study, winners));
    if (std::ranges::any_of(winners, [](const Winner& winner) { return winner.unclear > 0; }))
      console.say(fmt::format("unclear: so many of which the samples do not show whether they are {}\n",
                              is_speed(study) ? "slower" : "worse"));
  }
}

nlohmann::ordered_json winner_json(const Winner& winner) {
  const StudyRow& row = *winner.row;
  nlohmann::ordered_json document{{"problem", values_json(row.problem)},
                                  {"configuration", row.configuration},
                                  {"variant", row.variant},
                                  {"parameters", values_json(row.parameters)},
                                  {"value", nullptr},
                                  {"median_ns", nullptr},
                                  {"median_ns_95", nullptr},
                                  {"samples", row.samples},
                                  {"baseline", beside_json(winner.baseline)},
                                  {"next", beside_json(winner.next)},
                                  {"others", winner.others},
                                  {"tied", winner.tied},
                                  {"unclear", winner.unclear},
                                  {"disturbed", winner.disturbed},
                                  {"unverified", nullptr}};
  if (row.value) document["value"] = *row.value;
  if (!row.unverified.empty()) document["unverified"] = row.unverified;
  if (row.median_s) document["median_ns"] = *row.median_s * 1e9;
  if (row.median_s && row.samples >= static_cast<std::int64_t>(kFewestSamples))
    document["median_ns_95"] = {row.interval_s.low * 1e9, row.interval_s.high * 1e9};
  if (winner.baseline) document["baseline"]["is"] = winner.baseline_is;
  return document;
}

nlohmann::ordered_json winners_json(const std::vector<Winner>& winners) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Winner& winner : winners) all.push_back(winner_json(winner));
  return all;
}

}  // namespace tailwave
