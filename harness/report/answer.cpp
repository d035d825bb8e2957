#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/statistics.h"
#include "report/baseline.h"
#include "report/labels.h"
#include "report/markdown.h"
#include "report/question.h"
#include "report/section_text.h"
#include "store/run_status.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostAnswers = 3;  // problems with a sentence each
constexpr double kHardly = 1.01;         // times as good
constexpr double kFull = 0.9;            // of the highest rate

// "" for no ratio.
std::string ahead_text(const std::optional<double>& ratio, const std::string& what) {
  if (!ratio) return "";
  return *ratio < kHardly ? "less than 1 % ahead of " + what
                          : fmt::format("{} times {}", times_text(*ratio), what);
}

// Of one problem, what its best is set beside.
struct Sides {
  StudyRows rows, ranked;
  Baseline baseline;
  std::optional<double> median;  // of the values of a space
};

Sides sides_of(const DeviceStudy& device, Asks asks, const StudyRows& rows) {
  Sides sides{rows, best_first(device, rows), baseline_of(rows), std::nullopt};
  if (asks != Asks::tuning) return sides;
  std::vector<double> values;
  for (const StudyRow* row : rows) values.push_back(*row->value);
  sides.median = median(values);
  return sides;
}

std::string median_of_space(const Sides& sides) {
  return fmt::format("the median of {}", sides.rows.size());
}

// Over the baseline, the median and the runner-up.
std::vector<std::string> ahead_texts(const DeviceStudy& device, const Sides& sides, const Labels& labels) {
  const StudyRow& best = *sides.ranked.front();
  const StudyRow& baseline = *sides.baseline.row;
  if (sides.rows.size() < 2) return {};
  std::vector<std::string> texts;
  if (&baseline == &best)
    texts.push_back(fmt::format("itself the baseline ({})", sides.baseline.is));
  else
    texts.push_back(ahead_text(
        times_better(device, *best.value, *baseline.value),
        fmt::format("the baseline {} ({})", code(labels.short_line(baseline)), sides.baseline.is)));
  if (sides.median)
    texts.push_back(ahead_text(times_better(device, *best.value, *sides.median), median_of_space(sides)));
  const StudyRow& runner_up = *sides.ranked[1];
  if (&runner_up != &baseline)
    texts.push_back(ahead_text(times_better(device, *best.value, *runner_up.value),
                               "the runner-up " + code(labels.short_line(runner_up))));
  return texts;
}

// A GPU's kernel beside the best of the host variants of the same problem.
std::string beside_host(const DeviceStudy& device, const StudyRow& best, const Labels& labels) {
  const StudyRow* const host = device.competes(best) ? best_on_host(device, best.problem) : nullptr;
  if (host == nullptr) return "";
  const auto ratio = times_better(device, *best.value, *host->value);
  if (!ratio) return "";
  return fmt::format("{} times {} on {}", times_text(*ratio), code(labels.short_line(*host)),
                     prose(host->device));
}

std::string standing_of_best(const Study& study, const DeviceStudy& device, const StudyRow& best) {
  const auto others = std::ranges::count_if(device.rows, [&](const StudyRow& row) {
    return &row != &best && row.value && row.device == best.device && row.kind == best.kind &&
           row.peers == best.peers && row.problem == best.problem;
  });
  return tied_text(study, static_cast<std::size_t>(std::max<std::int64_t>(best.tied - 1, 0)),
                   static_cast<std::size_t>(best.unclear), static_cast<std::size_t>(others));
}

// "the study's best, `BLOCK_SIZE 64`, reaches 98 % of it"
std::string beside_published(const DeviceStudy& device, const StudyRow& best, const Labels& labels) {
  const PublishedFigure* most = nullptr;
  const StudyRow* ours = nullptr;
  for (const PublishedFigure& figure : device.published) {
    if (!figure.invalid.empty() || figure.trial_id == 0) continue;
    const auto row = std::find_if(device.rows.begin(), device.rows.end(),
                                  [&](const StudyRow& one) { return one.trial_id == figure.trial_id; });
    if (row == device.rows.end() || !row->value || row->problem != best.problem || !device.competes(*row))
      continue;
    const bool less = is_time(figure.quantity);
    if (most != nullptr && (less ? figure.value >= most->value : figure.value <= most->value)) continue;
    most = &figure;
    ours = &*row;
  }
  if (most == nullptr) return "";
  if (ours == &best) return "the best of the study too";
  const auto share = times_better(device, *ours->value, *best.value);
  if (!share) return "";
  return fmt::format("the best of the study, {}, reaches {} of it here", code(labels.short_line(*ours)),
                     percent(*share));
}

void add_to(std::string& text, const std::string& part) {
  if (!part.empty()) text += ", " + part;
}

std::string answer_value(const Study& study, const StudyRow& best) {
  const std::string value = prose(describe_value(study.metric, *best.value));
  const std::string median = format_time(*best.median_s);
  const std::string both =
      value == median ? fmt::format("median {} (", median) : fmt::format("{} (median {}, ", value, median);
  return fmt::format("{}{} {}, {})", both, is_few(best) ? "range" : "95 % interval", interval_text(best),
                     plural(static_cast<std::size_t>(best.samples), "sample"));
}

std::string superlative(const Study& study) {
  return is_speed(study) ? "the fastest" : "the best";
}

// rows: of the problem, in their order.
std::string text_of_problem(const Study& study, const DeviceStudy& device, Asks asks, const StudyRows& rows) {
  const Sides sides = sides_of(device, asks, rows);
  const StudyRow& best = *sides.ranked.front();
  const Labels labels(rows_beside(device, best), study.names);
  std::string text = rows.size() == 1 && labels.headings().size() == 1
                         ? fmt::format("{}: {}", code(labels.short_line(best)), answer_value(study, best))
                         : fmt::format("{} is {}: {}", code(labels.short_line(best)), superlative(study),
                                       answer_value(study, best));
  for (const std::string& ahead : ahead_texts(device, sides, labels)) add_to(text, ahead);
  add_to(text, standing_of_best(study, device, best));
  add_to(text, beside_host(device, best, Labels(device, study.names)));
  if (best.limit_share)
    add_to(text, fmt::format("{} of the limit {}", percent(*best.limit_share), code(best.limit)));
  add_to(text, beside_published(device, best, labels));
  return text + (best.unverified.empty() ? "" : ", **unverified**");
}

// Those of `names` that are parameters of some row.
std::vector<std::string> parameter_names(const Study& study, const StudyRows& rows) {
  std::vector<std::string> names;
  for (const std::string& name : study.names)
    if (std::ranges::any_of(rows, [&](const StudyRow* row) { return row->parameters.contains(name); }))
      names.push_back(name);
  return names;
}

// "; what has it is shown to be the fastest at 5 of 9": all others are shown to be slower there.
std::string shown_text(const Study& study, const StudyRows& best) {
  const auto alone = static_cast<std::size_t>(
      std::ranges::count_if(best, [](const StudyRow* row) { return row->tied <= 1 && row->unclear == 0; }));
  const std::string where = alone == 0             ? "none"
                            : alone == best.size() ? fmt::format("all {}", alone)
                                                   : fmt::format("{} of {}", alone, best.size());
  return fmt::format("; what has it is shown to be {} at {}; ", superlative(study), where);
}

// "`tuned` has the lowest median at 7 of 9 problems, `basic` at 2; what has it ...": by variant and parameters; "" where
// each problem has but one configuration. best: of each problem.
std::string winners_text(const Study& study, const DeviceStudy& device, const StudyRows& rows,
                         const StudyRows& best) {
  if (rows.size() == best.size()) return "";
  StudyRows beside;
  for (const StudyRow* row : best)
    for (const StudyRow* other : rows_beside(device, *row)) beside.push_back(other);
  const Labels labels(beside, parameter_names(study, beside));
  std::map<std::string, std::size_t> won;
  for (const StudyRow* row : best) ++won[labels.short_line(*row)];
  std::vector<std::pair<std::string, std::size_t>> by_count(won.begin(), won.end());
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto& [name, most] = by_count.front();
  std::string text =
      fmt::format("{} has the {} at ", code(name), is_speed(study) ? "lowest median" : "best value");
  text += by_count.size() == 1 ? fmt::format("all {} problems", most)
                               : fmt::format("{} of {} problems", most, best.size());
  if (by_count.size() == 2) text += fmt::format(", {} at {}", code(by_count[1].first), by_count[1].second);
  if (by_count.size() > 2) text += fmt::format(", at the others one of {}", by_count.size() - 1);
  return text + shown_text(study, best);
}

// From where on, and at all larger ones, the winner of the last problem has nearly its highest rate.
std::string full_text(const Study& study, const StudyRows& rows, const StudyRow& winner, const Labels& labels,
                      const std::string& axis) {
  if (!study.maximise || is_time(study.metric.name) || axis.empty()) return "";
  StudyRows line;
  for (const StudyRow* row : rows)
    if (labels.series(*row, axis) == labels.series(winner, axis)) line.push_back(row);
  std::stable_sort(line.begin(), line.end(), [&](const StudyRow* a, const StudyRow* b) {
    return number_on(*a, axis) < number_on(*b, axis);
  });
  double most = 0;
  for (const StudyRow* row : line) most = std::max(most, *row->value);
  auto full = line.end();
  while (full != line.begin() && *(*std::prev(full))->value >= kFull * most) --full;
  if (full == line.begin() || line.end() - full < 2) return "";
  return fmt::format(", and has {} of its highest rate from {} {} on", percent(kFull), axis,
                     format_number(number_on(**full, axis)));
}

// "2 of 4 configurations correct, 1 unverified": an unverified one is none of the correct ones.
std::string counted_text(const Study& study, const DeviceStudy& device) {
  if (device.is_choice())
    return fmt::format("{} of {} configurations correct; what is said of others is of a choice of {}",
                       device.measured_correct, device.measured, device.rows.size());
  const auto unverified = static_cast<std::size_t>(std::ranges::count_if(
      device.rows, [](const StudyRow& row) { return outcome_text(row) == kUnverified; }));
  std::string counted = fmt::format("{} of {} correct", device.correct() - unverified,
                                    plural(device.rows.size(), "configuration"));
  if (unverified > 0) counted += fmt::format(", {} unverified", unverified);
  const auto identical = std::count_if(device.rows.begin(), device.rows.end(), [](const StudyRow& row) {
    return row.outcome == Outcome::skipped_identical;
  });
  if (identical > 0) counted += fmt::format(", {} identical to others", identical);
  for (const auto& [name, value] : device.environment) {
    if (name != "status") continue;
    const auto status = from_string<RunStatus>(value);
    if (status == RunStatus::interrupted || status == RunStatus::failed)
      counted += fmt::format("; the last run is '{}', so some may be missing", prose(value));
  }
  if (!study.metric_without_work.empty())
    counted += fmt::format(", compared by their times: the results lack the work of {}",
                           code(study.metric_without_work));
  if (device.chosen_from > 0)
    counted += fmt::format(", {} {}", device.is_searched ? "chosen by a search from" : "of some shards of",
                           device.chosen_from);
  return counted;
}

std::set<std::string> names_in(const Values& values) {
  std::set<std::string> names;
  for (const auto& [name, value] : values) names.insert(name);
  return names;
}

}  // namespace

std::string answer(const Study& study, const DeviceStudy& device) {
  if (device.rows.empty())
    return "not run, only observed (`tailwave trace`, `curve`, `counters`, `timeline`)";
  const StudyRows best = device.best_of_problems();
  if (best.empty()) return "no time; " + counted_text(study, device);
  const StudyRows rows = device.contenders();
  const Question question = question_of(rows);
  const Labels labels(rows, study.names);
  const StudyRow& first = *best.front();
  std::string text;
  if (!device.ran_here(first)) {
    text = fmt::format("no time on this device; the best on {}: ", prose(first.device));
  } else if (!device.competes(first)) {
    text = "no kernel has a time; the best of the host variants: ";
  }
  const std::set<std::string> varying = varying_quantities(rows);
  const auto at = [&](const StudyRow& row) {
    const std::string problem = quantities_text(row.problem, varying);
    return (problem.empty() ? "" : "at " + prose(problem) + " ") +
           text_of_problem(study, device, question.asks, with_problem(rows, row));
  };
  if (best.size() > kMostAnswers) {
    text += winners_text(study, device, rows, best) + at(*best.back()) +
            full_text(study, rows, *best.back(), labels, question.axis) + "; ";
  } else {
    for (const StudyRow* one : best) text += at(*one) + "; ";
  }
  return text + counted_text(study, device);
}

AnswerFigures answer_figures(const Study& study, const DeviceStudy& device) {
  const StudyRows best = device.best_of_problems();
  if (best.empty()) return {};
  const StudyRow& winner = *best.back();
  const StudyRows all = device.contenders();
  const Asks asks = question_of(all).asks;
  const Sides sides = sides_of(device, asks, with_problem(all, winner));
  const Labels labels(rows_beside(device, winner), study.names);
  AnswerFigures figures;
  figures.problem = quantities_text(winner.problem, names_in(winner.problem));
  figures.best = labels.short_line(winner);
  figures.value = describe_value(study.metric, *winner.value);
  figures.device = winner.device;
  if (winner.limit_share) figures.limit = percent(*winner.limit_share);
  const StudyRow* over = sides.baseline.row;
  // The first of a list of sizes is there to be slow.
  if (asks == Asks::size && !over->standard && sides.ranked.size() > 1) over = sides.ranked[1];
  const bool of_median = sides.median && !over->standard;
  if (over == &winner && !of_median) return figures;
  const auto ratio = times_better(device, *winner.value, of_median ? *sides.median : *over->value);
  if (!ratio || *ratio < kHardly) return figures;
  figures.speedup = times_text(*ratio);
  figures.over = of_median ? median_of_space(sides) : labels.short_line(*over);
  return figures;
}

}  // namespace tailwave
