#include "report/section_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/between_repetitions.h"
#include "core/metric.h"
#include "core/statistics.h"
#include "report/noise.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

std::string interval_of_samples(const StudyRow& row, Footnotes& notes) {
  if (is_few(row))
    return interval_text(row) + " " +
           notes.mark("Fewer than 6 samples: their range, which covers less than 95 %.");
  if (noise_text(row.samples, *row.median_s, row.interval_s, 0).empty()) return interval_text(row);
  return interval_text(row) + " " +
         notes.mark(fmt::format("Noisy: the 95 % interval is wider than {:g} % of the median. "
                                "Measure on a quiet machine, or ask for more samples or repetitions.",
                                100 * kNoisyShare));
}

std::string interval_cell(const StudyRow& row, Footnotes& notes) {
  if (!row.median_s) return "";
  std::string text = interval_of_samples(row, notes);
  if (row.other_processes > 0)
    text +=
        " " +
        notes.mark(
            "Other processes had the GPU open, or ran on the CPU device's cores, while this was measured, and may have been in its way.");
  return text;
}

// By how much more than the best something has to take to be slower (core/between_repetitions.h).
std::string margin_text(const StudyRow& row) {
  if (!row.one_repetition) return "1 %";
  return fmt::format("{:g} % and more than the samples scatter, as one of the two has one repetition only",
                     100 * kBetweenRepetitions);
}

std::string tied_cell(const StudyRow& row, Footnotes& notes) {
  if (row.standing == Standing::unclear) {
    return (is_few(row)
                ? fmt::format("unclear ({}) ", plural(static_cast<std::size_t>(row.samples), "sample"))
                : "unclear ") +
           notes.mark(
               fmt::format("Not shown to be slower than the best with the same problem by more than {}; "
                           "nor shown to be within 10 % of it: too few samples of one of the two (fewer "
                           "than 6 decide little), or too noisy.",
                           margin_text(row)));
  }
  const bool tied = row.standing == Standing::best || row.standing == Standing::tied;
  if (!tied || row.tied < 2) return "";
  return "tied " +
         notes.mark(fmt::format(
             "Not shown to be slower than the best with the same problem by more than {} (bootstrap, "
             "corrected for the choice of the best, 95 %).",
             margin_text(row)));
}

std::string outcome_cell(const StudyRow& row, Footnotes& notes) {
  if (outcome_text(row) != kUnverified) return outcome_text(row);
  return "**unverified** " +
         notes.mark(fmt::format("Nothing says whether the results are right: {}.", prose(row.unverified)));
}

std::string ran_on(const DeviceStudy& device, const StudyRow& row) {
  const std::string timer = row.program_timer();
  if (!timer.empty()) return timer == "process" ? "a process" : "a process; self-reported time";
  if (device.competes(row)) return "";
  return device.ran_here(row) ? "the host, as reference" : prose(row.device);
}

// A study may have several for one configuration.
std::vector<const PublishedFigure*> figures_of(const DeviceStudy& device, const StudyRow& row) {
  std::vector<const PublishedFigure*> figures;
  for (const PublishedFigure& figure : device.published)
    if (figure.trial_id == row.trial_id) figures.push_back(&figure);
  return figures;
}

std::string figure_name(const PublishedFigure& figure) {
  std::string name = figure.variant;
  for (const auto& [parameter, value] : figure.named)
    name += fmt::format(" {} {}", parameter, to_string(value));
  return name;
}

std::string published_text(const PublishedFigure& figure, Footnotes& notes) {
  std::string text = format_metric({figure.quantity}, figure.value);
  if (!figure.invalid.empty())
    text +=
        fmt::format(" {}", notes.mark(fmt::format("The published figure is not valid: {}", figure.invalid)));
  if (!figure.note.empty()) text += fmt::format(" {}", notes.mark(figure.note));
  if (figure.fitting > 1) {
    const std::string note = fmt::format(
        "{} configurations fit the published one, which does not name every parameter; "
        "ours is the best of them",
        figure.fitting);
    text += fmt::format(" {}", notes.mark(note));
  }
  return text;
}

template <class Text>
std::string joined(const std::vector<const PublishedFigure*>& figures, Text text_of) {
  std::string text;
  for (const PublishedFigure* figure : figures) {
    const std::string one = text_of(*figure);
    if (!one.empty()) text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

std::string limit_cell(const Study& study, const StudyRow& row, Footnotes& notes) {
  if (!row.limit_share) return "";
  return percent(*row.limit_share) + " " +
         notes.mark(fmt::format("The least time by the limit '{}' of {}'s manifest, over the median.",
                                row.limit, study.system));
}

// With the reason, where it has none.
std::string metric_cell(const MetricRecord* metric, Footnotes& notes) {
  if (metric == nullptr) return "";
  if (metric->value) return format_metric(shown_metric(*metric), *metric->value);
  return notes.mark(fmt::format("{}: {}", metric->name, metric->missing));
}

std::vector<std::string> result_headings(const Study& study, const DeviceStudy& device,
                                         const std::vector<MetricRecord>& further, const Labels& labels) {
  std::vector<std::string> headings = escaped(labels.headings());
  for (std::string& heading : headings)
    if (heading != "variant") heading += ':';
  const std::string from =
      device.published.empty() ? "" : fmt::format(" ({})", prose(device.published[0].device));
  headings.insert(headings.end(), {"ran on", "outcome", "median:", "95 % interval:", "samples:"});
  headings.push_back(is_time(study.metric.name) ? ""
                                                : fmt::format("{}:", prose(metric_heading(study.metric))));
  for (const MetricRecord& one : further)
    headings.push_back(fmt::format("{}:", prose(metric_heading(shown_metric(one)))));
  headings.insert(headings.end(),
                  {"of the best:", "of the limit:", "standing", fmt::format("published{}:", from), "ratio:"});
  return headings;
}

// What "correct" means in the table.
std::string verified_text(const VerifiedWith& verified) {
  constexpr std::size_t kMostShown = 4;
  if (verified.most_draws == 0) return "";
  std::string text = fmt::format("\nVerified with {}", plural(verified.most_draws, "draw"));
  if (verified.fewest_draws < verified.most_draws)
    text = fmt::format("\nVerified with {} to {} draws", verified.fewest_draws, verified.most_draws);
  text += " of the inputs";
  const std::size_t shown = std::min(verified.problems.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? ", and for other problems: " : "; ") + prose(verified.problems[i]);
  if (shown < verified.problems.size())
    text += fmt::format("; {} more in the table `verification`", verified.problems.size() - shown);
  return text + ".\n";
}

std::string domains_text(const DeviceStudy& device) {
  std::string text;
  for (const auto& [variant, requirement] : device.domains)
    text += fmt::format("{}{} where {}",
                        text.empty() ? "\nMade for, and verified on, some problems only: " : "; ",
                        code(variant), code(requirement));
  return text.empty() ? "" : text + ".\n";
}

bool measured_here(const DeviceStudy& device, const PublishedFigure& figure) {
  return std::any_of(device.rows.begin(), device.rows.end(), [&](const StudyRow& row) {
    return row.trial_id == figure.trial_id && device.ran_here(row);
  });
}

}  // namespace

std::string results_part(const Study& study, const DeviceStudy& device,
                         const std::vector<const StudyRow*>& rows, const Labels& labels, Footnotes& notes) {
  const std::vector<MetricRecord> further = further_metrics(rows);
  MarkdownTable table(result_headings(study, device, further, labels));
  for (const StudyRow* row : rows) {
    std::vector<std::string> cells = escaped(labels.cells(*row));
    const auto share = share_of_best(device, *row);
    const std::vector<const PublishedFigure*> figures = figures_of(device, *row);
    cells.insert(cells.end(), {ran_on(device, *row), outcome_cell(*row, notes),
                               row->median_s ? format_time(*row->median_s) : "", interval_cell(*row, notes),
                               row->samples > 0 ? fmt::format("{}", row->samples) : ""});
    if (study.metric.own && !row->value)
      cells.push_back(metric_cell(row->metric(study.metric.name), notes));
    else
      cells.push_back(row->value && !is_time(study.metric.name) ? format_metric(study.metric, *row->value)
                                                                : "");
    for (const MetricRecord& one : further) cells.push_back(metric_cell(row->metric(one.name), notes));
    cells.insert(cells.end(),
                 {share ? percent(*share) : "", limit_cell(study, *row, notes), tied_cell(*row, notes),
                  joined(figures, [&](const auto& figure) { return published_text(figure, notes); }),
                  joined(figures, [](const auto& figure) { return number_or_blank(figure.ratio); })});
    table.add(std::move(cells));
  }
  std::string text;
  if (!labels.common().empty()) text += fmt::format("All with {}.\n\n", prose(labels.common()));
  text += table.text_said_once();
  if (rows.size() < device.rows.size())
    text += fmt::format("\nThe best {} of {}; `tailwave export --format csv` writes all of them.\n",
                        rows.size(), device.rows.size());
  return text + verified_text(device.verified) + domains_text(device);
}

std::string published_part(const DeviceStudy& device) {
  std::vector<double> ours;
  std::vector<double> published;
  std::vector<double> ratios;
  std::string missing;
  for (const PublishedFigure& figure : device.published) {
    if (figure.trial_id == 0) missing += (missing.empty() ? "" : ", ") + code(figure_name(figure));
    if (!figure.ratio || !figure.invalid.empty() || !measured_here(device, figure)) continue;
    ours.push_back(*figure.ours);
    published.push_back(figure.value);
    ratios.push_back(*figure.ratio);
  }
  if (device.published.empty()) return "";
  std::string text = fmt::format("\n### Beside the published figures\n\n{} ({}). ",
                                 prose(device.published[0].study), prose(device.published[0].device));
  if (ratios.empty()) {
    text += device.kind == DeviceKind::cpu ? "A CPU that executes kernels is not compared with it.\n"
                                           : "No row is valid on both sides.\n";
  } else {
    const double correlation = rank_correlation(ours, published);
    text +=
        fmt::format("Over {} valid on both sides, ours is {} times as fast in the median (from {} to {}); ",
                    plural(ratios.size(), "row"), format_number(median(ratios)),
                    format_number(*std::min_element(ratios.begin(), ratios.end())),
                    format_number(*std::max_element(ratios.begin(), ratios.end())));
    text += std::isnan(correlation)
                ? "too few for a rank correlation of the two curves.\n"
                : fmt::format("Spearman's rank correlation of the two curves is {:.2f}.\n", correlation);
  }
  if (!missing.empty()) text += fmt::format("\nPublished, but not measured on this device: {}.\n", missing);
  return text;
}

}  // namespace tailwave
