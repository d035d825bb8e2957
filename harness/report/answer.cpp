#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/statistics.h"
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

using StudyRows = std::vector<const StudyRow*>;

// How many times better `a` is than `b`; none where one of them is 0.
std::optional<double> times(const DeviceStudy& device, double a, double b) {
  if (!(a > 0) || !(b > 0)) return std::nullopt;
  return device.maximise ? a / b : b / a;
}

// "" for no ratio.
std::string ahead_text(const std::optional<double>& ratio, const std::string& what) {
  if (!ratio) return "";
  return *ratio < kHardly ? "less than 1 % ahead of " + what
                          : fmt::format("{} times {}", times_text(*ratio), what);
}

// What a winner is set beside, by the question.
struct Opponent {
  double value = 0;
  std::string what;  // Markdown
  std::string name;  // plain text
};

// rows: of one problem, in the order of the spec.
std::optional<Opponent> beside(const DeviceStudy& device, Asks asks, const StudyRows& rows,
                               const Labels& labels) {
  if (rows.size() < 2 || asks == Asks::scaling) return std::nullopt;
  const StudyRows ranked = best_first(device, rows);
  if (asks == Asks::tuning) {
    std::vector<double> values;
    for (const StudyRow* row : rows) values.push_back(*row->value);
    const std::string name = fmt::format("the median of {}", rows.size());
    return Opponent{median(values), name, name};
  }
  const StudyRow& other = asks == Asks::steps ? *rows.front() : *ranked.back();
  if (&other == ranked.front()) return std::nullopt;
  const std::string name = labels.short_line(other);
  return Opponent{*other.value, (asks == Asks::steps ? "the first step " : "the worst, ") + code(name), name};
}

// A GPU's kernel beside the best of the host variants of the same problem.
std::string beside_host(const DeviceStudy& device, const StudyRow& best, const Labels& labels) {
  const StudyRow* host = nullptr;
  if (device.kind != DeviceKind::cuda || !device.competes(best)) return "";
  for (const StudyRow& row : device.rows)
    if (row.value && !device.ran_here(row) && row.problem == best.problem &&
        (host == nullptr || device.better(*row.value, *host->value)))
      host = &row;
  if (host == nullptr) return "";
  const auto ratio = times(device, *best.value, *host->value);
  if (!ratio) return "";
  return fmt::format("{} times {} on {}", times_text(*ratio), code(labels.short_line(*host)),
                     prose(host->device));
}

std::string tied_text(const DeviceStudy& device, const StudyRow& best) {
  std::string text;
  if (best.tied > 1)
    text = fmt::format("tied with {}", plural(static_cast<std::size_t>(best.tied - 1), "other"));
  if (best.unclear > 0)
    text += fmt::format("{}unclear beside {}", text.empty() ? "" : ", ",
                        plural(static_cast<std::size_t>(best.unclear), "other"));
  if (!text.empty()) return text;
  const auto compared = [&](const StudyRow& row) {
    return row.value && row.device == best.device && row.kind == best.kind && row.peers == best.peers &&
           row.problem == best.problem;
  };
  return std::count_if(device.rows.begin(), device.rows.end(), compared) > 1 ? "tied with no other" : "";
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
  const auto share = times(device, *ours->value, *best.value);
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

// rows: of the problem, in the order of the spec.
std::string winner_text(const Study& study, const DeviceStudy& device, Asks asks, const StudyRows& rows) {
  const Labels labels(rows, study.names);
  const StudyRows ranked = best_first(device, rows);
  const StudyRow& best = *ranked.front();
  std::string text = rows.size() == 1 && labels.headings().size() == 1
                         ? fmt::format("{}: {}", code(labels.short_line(best)), answer_value(study, best))
                         : fmt::format("{} is {}: {}", code(labels.short_line(best)), superlative(study),
                                       answer_value(study, best));
  const auto against = beside(device, asks, rows, labels);
  if (against) add_to(text, ahead_text(times(device, *best.value, against->value), against->what));
  if (ranked.size() > 1) {
    const StudyRow& runner_up = *ranked[1];
    const std::string name = labels.short_line(runner_up);
    if (!against || against->name != name)
      add_to(text, ahead_text(times(device, *best.value, *runner_up.value), "the runner-up " + code(name)));
  }
  add_to(text, tied_text(device, best));
  add_to(text, beside_host(device, best, Labels(device, study.names)));
  if (best.limit_share)
    add_to(text, fmt::format("{} of the limit {}", percent(*best.limit_share), code(best.limit)));
  add_to(text, beside_published(device, best, labels));
  return text + (best.unverified.empty() ? "" : ", **unverified**");
}

// "the fastest at 7 of 9 problems is `tuned`, at 2 `basic`"; of the variants, or of what is left of the winners' names.
std::string winners_text(const Study& study, const DeviceStudy& device, const StudyRows& best,
                         const Labels& labels, const std::string& axis) {
  std::map<std::string, std::size_t> won;
  for (const StudyRow* row : best) ++won[best.size() > 1 ? labels.series(*row, axis) : row->variant];
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [name, count] : won) by_count.emplace_back(count, name);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (device.contenders().size() == best.size()) return "";
  std::string text = fmt::format("{} at {} of {} problems is {}", superlative(study), by_count[0].first,
                                 best.size(), code(by_count[0].second));
  if (by_count[0].first == best.size())
    text =
        fmt::format("{} at all {} problems is {}", superlative(study), best.size(), code(by_count[0].second));
  else
    text += by_count.size() == 2 ? fmt::format(", at {} {}", by_count[1].first, code(by_count[1].second))
                                 : fmt::format(", at the others one of {}", by_count.size() - 1);
  return text + "; ";
}

// From where on the winner of the last problem has nearly its highest rate.
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
  const auto full = std::find_if(line.begin(), line.end(),
                                 [&](const StudyRow* row) { return *row->value >= kFull * most; });
  if (full == line.begin() || line.end() - full < 2) return "";
  return fmt::format(", and has {} of its highest rate from {} {} on", percent(kFull), axis,
                     format_number(number_on(**full, axis)));
}

std::string counted_text(const Study& study, const DeviceStudy& device) {
  std::string counted =
      fmt::format("{} of {} correct", device.correct(), plural(device.rows.size(), "configuration"));
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
  if (device.searched > 0) counted += fmt::format(", chosen by a search from {}", device.searched);
  return counted;
}

}  // namespace

std::string times_text(double ratio) {
  if (ratio >= 1000) return fmt::format("{:.0f}", ratio);
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(ratio)));
  return format_number(std::round(ratio * scale) / scale);
}

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
           winner_text(study, device, question.asks, with_problem(rows, row));
  };
  if (best.size() > kMostAnswers) {
    text += winners_text(study, device, best, labels, question.axis) + at(*best.back()) +
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
  const StudyRows rows = with_problem(all, winner);
  const Labels labels(rows, study.names);
  AnswerFigures figures{labels.short_line(winner), describe_value(study.metric, *winner.value), "", "", ""};
  if (const auto against = beside(device, question_of(all).asks, rows, labels)) {
    if (const auto ratio = times(device, *winner.value, against->value)) {
      figures.speedup = times_text(*ratio);
      figures.over = against->name;
    }
  }
  if (winner.limit_share) figures.limit = percent(*winner.limit_share);
  return figures;
}

}  // namespace tailwave
