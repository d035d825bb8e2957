#include "report/regimes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "json/values.h"
#include "report/queries.h"

namespace tailwave {
namespace {

// Rows of a table by the names of its columns.
class Rows {
 public:
  explicit Rows(Table table) : table_(std::move(table)) {
    for (std::size_t i = 0; i < table_.columns.size(); ++i) places_.emplace(table_.columns[i], i);
  }

  [[nodiscard]] std::size_t size() const { return table_.rows.size(); }
  [[nodiscard]] std::string text(std::size_t row, const char* column) const {
    const auto* const text = std::get_if<std::string>(&cell(row, column));
    return text == nullptr ? "" : *text;
  }
  [[nodiscard]] std::int64_t whole(std::size_t row, const char* column) const {
    const auto* const whole = std::get_if<std::int64_t>(&cell(row, column));
    return whole == nullptr ? 0 : *whole;
  }
  [[nodiscard]] std::optional<double> real(std::size_t row, const char* column) const {
    const Cell& found = cell(row, column);
    if (const auto* const whole = std::get_if<std::int64_t>(&found)) return static_cast<double>(*whole);
    const auto* const real = std::get_if<double>(&found);
    return real == nullptr ? std::nullopt : std::optional(*real);
  }

 private:
  [[nodiscard]] const Cell& cell(std::size_t row, const char* column) const {
    return table_.rows.at(row).at(places_.at(column));
  }

  Table table_;
  std::map<std::string, std::size_t> places_;
};

RegimeTime time_of(const Rows& rows, std::size_t row) {
  RegimeTime time{.regime = rows.text(row, "regime"),
                  .mode = rows.text(row, "mode"),
                  .cache = rows.text(row, "cache"),
                  .fills = from_json(rows.text(row, "fills")),
                  .own = rows.whole(row, "own") == 1,
                  .configuration = rows.text(row, "configuration"),
                  .place = rows.whole(row, "place"),
                  .outcome = from_string<Outcome>(rows.text(row, "outcome")),
                  .detail = rows.text(row, "detail"),
                  .unverified = rows.text(row, "unverified"),
                  .median_us = rows.real(row, "median_us").value_or(0),
                  .standing = find_enum<Standing>(rows.text(row, "verdict")),
                  .ratio = rows.real(row, "ratio").value_or(1),
                  .interval = {}};
  const auto low = rows.real(row, "ratio_low"), high = rows.real(row, "ratio_high");
  if (low && high) time.interval = Interval{*low, *high};
  return time;
}

RegimeFinding finding_of(const std::vector<const RegimeTime*>& times, const std::string& winner) {
  const RegimeTime& first = *times.front();
  RegimeFinding finding{.regime = first.regime,
                        .mode = first.mode,
                        .cache = first.cache,
                        .fills = first.fills,
                        .own = first.own,
                        .measured = false,
                        .winner = {},
                        .best = {},
                        .best_us = 0,
                        .tied = {},
                        .unclear = {}};
  for (const RegimeTime* one : times) {
    if (one->configuration == winner) finding.winner = *one;
    if (one->standing == Standing::best) {
      finding.measured = true;
      finding.best = one->configuration;
      finding.best_us = one->median_us;
    }
    if (one->standing == Standing::tied) finding.tied.push_back(one->configuration);
    if (one->standing == Standing::unclear) finding.unclear.push_back(one->configuration);
  }
  return finding;
}

RegimeVerdict verdict_of(const std::vector<RegimeFinding>& regimes) {
  const auto any = [&](auto wanted) {
    return std::ranges::any_of(regimes,
                               [&](const RegimeFinding& one) { return one.measured && wanted(one); });
  };
  if (!any([](const RegimeFinding& one) { return !one.own; })) return RegimeVerdict::untested;
  if (any([](const RegimeFinding& one) { return !one.winner.standing || one.is(Standing::slower); }))
    return RegimeVerdict::does_not_hold;
  return any([](const RegimeFinding& one) { return one.is(Standing::unclear); }) ? RegimeVerdict::unclear
                                                                                 : RegimeVerdict::holds;
}

// Of a configuration, where it has a time in all regimes in which any has.
std::optional<WorstCase> worst_case(const std::vector<RegimeTime>& times, const std::string& configuration,
                                    std::size_t measured) {
  WorstCase worst{.configuration = configuration, .regime = {}, .ratio = 0, .interval = {}, .holds = true};
  std::size_t found = 0;
  for (const RegimeTime& one : times) {
    if (one.configuration != configuration || !one.standing) continue;
    ++found;
    worst.holds = worst.holds && (one.standing == Standing::best || one.standing == Standing::tied);
    if (one.ratio <= worst.ratio) continue;
    worst.ratio = one.ratio;
    worst.interval = one.interval;
    worst.regime = one.regime;
  }
  return found == measured ? std::optional(worst) : std::nullopt;
}

std::optional<WorstCase> least_worst(const std::vector<RegimeTime>& times,
                                     const std::vector<RegimeFinding>& regimes) {
  const auto measured = static_cast<std::size_t>(std::ranges::count_if(regimes, &RegimeFinding::measured));
  std::optional<WorstCase> least;
  if (measured == 0) return least;
  std::set<std::string> seen;
  for (const RegimeTime& one : times) {  // of equal ones the best by place
    if (!seen.insert(one.configuration).second) continue;
    const std::optional<WorstCase> worst = worst_case(times, one.configuration, measured);
    if (worst && (!least || worst->ratio < least->ratio)) least = worst;
  }
  return least;
}

}  // namespace

std::string RegimeFinding::setting() const {
  std::string text = fmt::format("{}, {}", mode, cache);
  for (const auto& [buffer, fill] : fills)
    text += fmt::format("{} {} {}", text.find(';') == std::string::npos ? ";" : ",", buffer, to_string(fill));
  return text;
}

RegimeAnswer answer_of(const std::vector<RegimeTime>& times) {
  RegimeAnswer answer;
  std::vector<std::vector<const RegimeTime*>> by_regime;
  const RegimeTime& first = *std::ranges::min_element(times, {}, &RegimeTime::place);
  answer.winner = first.configuration;
  answer.unverified = first.unverified;
  for (const RegimeTime& one : times) {
    if (by_regime.empty() || by_regime.back().front()->regime != one.regime) by_regime.emplace_back();
    by_regime.back().push_back(&one);
  }
  for (const auto& of_regime : by_regime) answer.regimes.push_back(finding_of(of_regime, answer.winner));
  answer.verdict = verdict_of(answer.regimes);
  answer.least_worst = least_worst(times, answer.regimes);
  return answer;
}

std::vector<RegimeAnswer> regime_answers(Database& database, const Values& parameters) {
  const Rows rows(run_query(database, find_query("regime_times"), parameters));
  std::vector<RegimeAnswer> answers;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const auto same = [&](const char* column) { return rows.text(begin, column) == rows.text(end, column); };
    std::vector<RegimeTime> times;
    for (; end < rows.size() && same("experiment") && same("run_device") && same("problem") &&
           rows.whole(begin, "run") == rows.whole(end, "run");
         ++end)
      times.push_back(time_of(rows, end));
    RegimeAnswer& answer = answers.emplace_back(answer_of(times));
    answer.experiment = rows.text(begin, "experiment");
    answer.device = rows.text(begin, "run_device");
    answer.problem = from_json(rows.text(begin, "problem"));
    answer.run = rows.whole(begin, "run");
    answer.started_at = rows.text(begin, "started_at");
  }
  return answers;
}

Table regimes_table(Database& database, const Values& parameters) {
  Table table{{"experiment",
               "run_device",
               "problem",
               "answer",
               "winner",
               "regime",
               "mode",
               "cache",
               "fills",
               "verdict",
               "median_us",
               "ratio",
               "ratio_low",
               "ratio_high",
               "best",
               "best_us",
               "tied",
               "least_worst",
               "least_worst_ratio",
               "least_worst_regime",
               "unverified",
               "run",
               "started_at"},
              {}};
  for (const RegimeAnswer& answer : regime_answers(database, parameters)) {
    for (const RegimeFinding& one : answer.regimes) {
      const bool timed = one.winner.standing.has_value();
      const auto number = [&](double value) { return timed && std::isfinite(value) ? Cell{value} : Cell{}; };
      const auto& least = answer.least_worst;
      const auto& interval = one.winner.interval;
      table.rows.push_back(
          {answer.experiment,
           answer.device,
           to_json(answer.problem),
           std::string(to_string(answer.verdict)),
           answer.winner,
           one.regime,
           one.mode,
           one.cache,
           one.fills.empty() ? Cell{} : Cell{to_json(one.fills)},
           timed ? std::string(to_string(*one.winner.standing)) : std::string(to_string(one.winner.outcome)),
           number(one.winner.median_us),
           number(one.winner.ratio),
           interval ? number(interval->low) : Cell{},
           interval ? number(interval->high) : Cell{},
           cell_of(one.best),
           one.measured ? Cell{one.best_us} : Cell{},
           cell_of(fmt::format("{}", fmt::join(one.tied, " "))),
           least ? Cell{least->configuration} : Cell{},
           least ? Cell{least->ratio} : Cell{},
           least ? Cell{least->regime} : Cell{},
           cell_of(answer.unverified),
           answer.run,
           answer.started_at});
    }
  }
  return table;
}

}  // namespace tailwave
