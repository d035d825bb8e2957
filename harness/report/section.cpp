#include "report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/labels.h"
#include "report/section_energy.h"
#include "report/section_front.h"
#include "report/section_regimes.h"
#include "report/section_results.h"
#include "report/section_text.h"
#include "report/units.h"
#include "store/run_status.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostFailures = 20;
constexpr std::size_t kMostAnswers = 3;  // of an experiment with several problems

template <class T>
std::string optional_text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string tied_text(const DeviceStudy& device, const StudyRow& best) {
  std::string text;
  if (best.tied > 1)
    text = fmt::format(", tied with {}", plural(static_cast<std::size_t>(best.tied - 1), "other"));
  if (best.unclear > 0)
    text += fmt::format(", unclear beside {}", plural(static_cast<std::size_t>(best.unclear), "other"));
  if (!text.empty()) return text;
  const auto compared = [&](const StudyRow& row) {
    return row.value && row.device == best.device && row.kind == best.kind && row.peers == best.peers &&
           row.problem == best.problem;
  };
  return std::count_if(device.rows.begin(), device.rows.end(), compared) > 1 ? ", tied with no other" : "";
}

std::string failures(const DeviceStudy& device) {
  std::vector<const StudyRow*> failed;
  for (const StudyRow& row : device.rows)
    if (!row.correct()) failed.push_back(&row);
  if (failed.empty()) return "";
  MarkdownTable table({"configuration", "outcome", "reason"});
  for (std::size_t i = 0; i < std::min(failed.size(), kMostFailures); ++i) {
    const std::string& detail = failed[i]->detail;
    table.add({code(failed[i]->configuration), std::string(to_string(failed[i]->outcome)),
               prose(detail.substr(0, detail.find('\n')))});
  }
  std::string text = fmt::format("\n### Not correct\n\n{}", table.text());
  if (failed.size() > kMostFailures)
    text += fmt::format("\nThe first {} of {}; `tailwave query failures` has the others.\n", kMostFailures,
                        failed.size());
  return text;
}

std::string limiter_text(const WaveFacts& waves) {
  return prose(waves.limiter);
}

std::string waves_part(const DeviceStudy& device, const std::vector<const StudyRow*>& rows,
                       const Labels& labels) {
  std::vector<std::string> headings = escaped(labels.headings());
  headings.insert(headings.end(),
                  {"kernel", "grid:", "block:", "registers:", "spilled bytes:", "blocks/SM:",
                   "by the driver:", "SMs:", "limiter", "occupancy:", "waves:", "last wave:"});
  MarkdownTable table(headings);
  for (const StudyRow* row : rows) {
    if (!row->waves) continue;
    const WaveFacts& waves = *row->waves;
    std::vector<std::string> cells = escaped(labels.cells(*row));
    const bool spills = waves.spill_bytes.value_or(0) > 0;
    const bool differs = waves.driver_blocks_per_sm && waves.driver_blocks_per_sm != waves.blocks_per_sm;
    cells.insert(
        cells.end(),
        {code(waves.kernel), fmt::format("{}", waves.grid), fmt::format("{}", waves.block),
         optional_text(waves.registers), spills ? optional_text(waves.spill_bytes) : "",
         optional_text(waves.blocks_per_sm), differs ? optional_text(waves.driver_blocks_per_sm) : "",
         waves.sms_asked ? optional_text(waves.sms ? waves.sms : waves.sms_asked) : "", limiter_text(waves),
         waves.occupancy ? percent(*waves.occupancy) : "", number_or_blank(waves.waves),
         waves.tail_fraction && *waves.tail_fraction > 0 ? percent(*waves.tail_fraction) + " full" : ""});
    table.add(std::move(cells));
  }
  if (table.empty()) return "";
  const std::string predicted = predicted_for(device);
  std::string text = "\n### Occupancy and waves\n\n";
  if (!predicted.empty())
    text += fmt::format("Predicted for {}, which did not run it, and for the problem that was run here.\n\n",
                        prose(predicted));
  return text + table.text();
}

std::string environment(const DeviceStudy& device) {
  MarkdownTable table({"environment", "of the latest run"});
  for (const auto& [name, value] : device.environment) table.add({prose(name), prose(value)});
  std::string text = fmt::format("\n### Environment\n\n{}", table.text());
  if (device.runs > 1) text += fmt::format("\nThe results come from {} runs.\n", device.runs);
  return text;
}

std::string origin(const DeviceStudy& device) {
  std::string text;
  if (!device.recorded_from.empty()) {
    const std::size_t slash = device.recorded_from.find_last_of('/');
    const std::string file =
        slash == std::string::npos ? device.recorded_from : device.recorded_from.substr(slash + 1);
    text += fmt::format("Recorded results, imported from {}. ", code(file));
  }
  if (device.kind == DeviceKind::cpu)
    text += "CUDA templates executed by a CPU: these times say nothing of the speed of a GPU. ";
  if (device.searched > 0)
    text += fmt::format(
        "A search chose these from {} configurations: one that it did not try may be faster, "
        "and slow ones have few samples. ",
        device.searched);
  if (!text.empty()) text.back() = '\n';
  return text.empty() ? "" : text + "\n";
}

std::string answer_line(const Study& study, const DeviceStudy& device, const Labels& labels,
                        const StudyRow& best) {
  const std::string value = prose(describe_value(study.metric, *best.value));
  const std::string median = format_time(*best.median_s);
  const std::string both =
      value == median ? fmt::format("median {} (", median) : fmt::format("{} (median {}, ", value, median);
  return fmt::format("{}: {}{} {}, {}){}", code(labels.line(best)), both,
                     is_few(best) ? "range" : "95 % interval", interval_text(best),
                     plural(static_cast<std::size_t>(best.samples), "sample"),
                     tied_text(device, best) + (best.unverified.empty() ? "" : ", **unverified**"));
}

}  // namespace

std::string answer(const Study& study, const DeviceStudy& device) {
  if (device.rows.empty())
    return "not run, only observed (`tailwave trace`, `curve`, `counters`, `timeline`)";
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
  if (device.searched > 0) counted += fmt::format(", chosen by a search from {}", device.searched);
  const std::vector<const StudyRow*> best = device.best_of_problems();
  if (best.empty()) return fmt::format("no time; {}", counted);
  const Labels labels(device, study.names);
  const StudyRow& first = *best.front();
  std::string text;
  if (!device.ran_here(first)) {
    text = fmt::format("no time on this device; the best on {}: ", prose(first.device));
  } else if (!device.competes(first)) {
    text = "no kernel has a time; the best of the host variants: ";
  }
  if (best.size() > kMostAnswers) text += fmt::format("of {} problems the first and the last: ", best.size());
  for (std::size_t i = 0; i < best.size(); ++i) {
    const bool left_out = best.size() > kMostAnswers && i > 0 && i + 1 < best.size();
    if (!left_out) text += answer_line(study, device, labels, *best[i]) + "; ";
  }
  return text + counted;
}

std::string device_section(const Study& study, const DeviceStudy& device, const std::string& charts,
                           Footnotes& notes) {
  if (device.rows.empty()) return fmt::format("\n## {}\n{}", prose(device.device), charts);
  const std::vector<const StudyRow*> rows = shown_rows(device, kMostRows, true);
  const Labels labels(rows, study.names);
  return fmt::format("\n## {}\n\n{}", prose(device.device), origin(device)) +
         results_part(study, device, rows, labels, notes) + fronts_part(device) + energy_part(device) +
         regimes_part(device, labels) + charts + published_part(device) + failures(device) +
         waves_part(device, rows, labels) + environment(device);
}

std::string side_by_side(const Study& study) {
  std::vector<const DeviceStudy*> devices;
  for (const DeviceStudy& device : study.devices)
    if (!device.rows.empty()) devices.push_back(&device);
  if (devices.size() < 2) return "";
  std::map<std::string, const StudyRow*> by_name;
  for (const DeviceStudy* device : devices)
    for (const StudyRow* row : shown_rows(*device, kMostRows, false)) {
      if (device->ran_here(*row)) by_name.emplace(row->configuration, row);
    }
  std::vector<const StudyRow*> rows;
  for (const auto& [name, row] : by_name) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const StudyRow* a, const StudyRow* b) { return study.in_order(*a, *b); });
  const Labels labels(rows, study.names);
  std::vector<std::string> headings = escaped(labels.headings());
  for (const DeviceStudy* device : devices) headings.push_back(fmt::format("{}:", prose(device->device)));
  MarkdownTable table(headings);
  for (const StudyRow* row : rows) {
    std::vector<std::string> cells = escaped(labels.cells(*row));
    for (const DeviceStudy* device : devices) {
      const auto found = std::find_if(device->rows.begin(), device->rows.end(), [&](const StudyRow& other) {
        return other.configuration == row->configuration && device->ran_here(other);
      });
      const bool there = found != device->rows.end();
      cells.push_back(there && found->value ? format_metric(study.metric, *found->value)
                      : there               ? std::string(to_string(found->outcome))
                                            : "");
    }
    table.add(std::move(cells));
  }
  return fmt::format("\n## Side by side\n\n{}, by the device that ran it:\n\n{}",
                     prose(metric_heading(study.metric)), table.text());
}

}  // namespace tailwave
