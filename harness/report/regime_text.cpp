#include "report/regime_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/configuration.h"
#include "report/units.h"

namespace tailwave {
namespace {

std::string joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  const std::span<const std::string> all(words);
  return fmt::format("{} and {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
}

// "1.18 (1.15 to 1.21)".
std::string loss_text(double ratio, const std::optional<Interval>& interval) {
  if (!interval) return format_number(ratio);
  return fmt::format("{} ({} to {})", format_number(ratio), format_number(interval->low),
                     format_number(interval->high));
}

std::string standing_text(const RegimeTime& time) {
  if (!time.standing) return std::string(to_string(time.outcome));
  return time.standing == Standing::slower ? "clearly slower" : std::string(to_string(*time.standing));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string why_not(const RegimeTime& time, const RegimeWords& words) {
  return words.text(fmt::format("{}{}{}", to_string(time.outcome), time.detail.empty() ? "" : ": ",
                                first_line(time.detail)));
}

// "in cold it is clearly slower than B, by a factor of 1.18 (1.15 to 1.21)".
std::string clause(const RegimeFinding& finding, const RegimeWords& words) {
  const std::string regime = words.text(finding.regime);
  if (!finding.winner.standing)
    return fmt::format("in {} it fails ({})", regime, why_not(finding.winner, words));
  const std::string loss = loss_text(finding.winner.ratio, finding.winner.interval);
  return finding.is(Standing::slower)
             ? fmt::format("in {} it is clearly slower than {}, by a factor of {}", regime,
                           words.called(finding.best), loss)
             : fmt::format("in {} the samples leave open whether it is slower than {}, by a factor of {}",
                           regime, words.called(finding.best), loss);
}

std::string least_worst_text(const RegimeAnswer& answer, const RegimeWords& words) {
  if (!answer.least_worst) return " No configuration is correct in all of them.";
  const WorstCase& least = *answer.least_worst;
  const std::string regime = words.text(least.regime);
  if (least.configuration == answer.winner)
    return fmt::format(" No other loses less in its worst regime, which is {}.", regime);
  const std::string name = words.called(least.configuration);
  if (least.holds) return fmt::format(" {} is the best or tied with it in all.", name);
  return fmt::format(" {} loses least in its worst regime: {} times the best, in {}.", name,
                     loss_text(least.ratio, least.interval), regime);
}

std::string not_measured_text(const RegimeAnswer& answer, const RegimeWords& words) {
  std::string text;
  for (const RegimeFinding& one : answer.regimes)
    if (!one.measured)
      text +=
          fmt::format(" {} could not be measured ({}).", words.text(one.regime), why_not(one.winner, words));
  return text;
}

}  // namespace

std::string short_name(const RegimeAnswer& answer, const std::string& configuration) {
  const std::string system = answer.experiment.substr(0, answer.experiment.find('/')) + "/";
  const std::string all_of_it = Configuration{"", "", {}, answer.problem}.name();
  const std::string problem =
      all_of_it.substr(std::min<std::size_t>(1, all_of_it.size()));  // "/" of the variant
  std::string name = configuration;
  if (name.starts_with(system)) name.erase(0, system.size());
  if (name.ends_with(problem)) name.erase(name.size() - problem.size());
  return name;
}

std::string problem_words(const RegimeAnswer& answer, const std::vector<RegimeAnswer>& all) {
  std::string text;
  for (const auto& [name, value] : answer.problem) {
    const bool varies = std::ranges::any_of(all, [&, &quantity = name, &own = value](const auto& other) {
      const auto found = other.problem.find(quantity);
      return other.experiment == answer.experiment && found != other.problem.end() && found->second != own;
    });
    if (varies) text += fmt::format("{} {} {}", text.empty() ? " with" : ",", name, to_string(value));
  }
  return text;
}

std::string answer_text(const RegimeAnswer& answer, const RegimeWords& words) {
  const std::string winner = words.called(answer.winner);
  std::vector<std::string> measured, lost, open;
  for (const RegimeFinding& one : answer.regimes) {
    if (!one.measured) continue;
    measured.push_back(words.text(one.regime));
    if (one.is(Standing::unclear))
      open.push_back(clause(one, words));
    else if (!one.holds())
      lost.push_back(clause(one, words));
  }
  std::string text;
  switch (answer.verdict) {
    case RegimeVerdict::holds:
      text = fmt::format("{} holds in all {} regimes: it is the best or tied with it in {}.", winner,
                         measured.size(), joined(measured));
      break;
    case RegimeVerdict::does_not_hold:
      lost.insert(lost.end(), open.begin(), open.end());
      text = fmt::format("{} does not hold: {}.{}", winner, fmt::join(lost, "; "),
                         least_worst_text(answer, words));
      break;
    case RegimeVerdict::unclear:
      text = fmt::format(
          "It is unclear whether {} holds: {}. More repetitions or samples, or a quieter machine, tell.",
          winner, fmt::join(open, "; "));
      break;
    case RegimeVerdict::untested:
      text = fmt::format("Whether {} holds is untested: nothing has a time in another regime.", winner);
      break;
  }
  if (!answer.unverified.empty())
    text += fmt::format(" The winner's results are unverified: {}.", words.text(answer.unverified));
  return text + not_measured_text(answer, words);
}

Table shown_regimes(const RegimeAnswer& answer, const RegimeWords& words) {
  Table table{{"regime", "measured", "winner", "verdict", "times the best", "best there", "tied"}, {}};
  for (const RegimeFinding& one : answer.regimes) {
    const bool timed = one.winner.standing.has_value();
    std::vector<std::string> tied;
    for (const std::string& other : one.tied)
      if (other != answer.winner) tied.push_back(words.called(other));
    table.rows.push_back(
        {words.text(one.regime), words.text(one.setting()),
         timed ? Cell{format_time(one.winner.median_us * 1e-6)} : Cell{}, standing_text(one.winner),
         timed && !one.is(Standing::best) ? Cell{loss_text(one.winner.ratio, one.winner.interval)} : Cell{},
         one.measured && one.best != answer.winner
             ? Cell{fmt::format("{}, {}", words.called(one.best), format_time(one.best_us * 1e-6))}
             : Cell{},
         cell_of(fmt::format("{}", fmt::join(tied, ", ")))});
  }
  return table;
}

}  // namespace tailwave
