#include "report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/headline.h"
#include "report/labels.h"
#include "report/section_energy.h"
#include "report/section_front.h"
#include "report/section_regimes.h"
#include "report/section_results.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostFailures = 20;

template <class T>
std::string optional_text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string failures(const DeviceStudy& device) {
  std::vector<const StudyRow*> failed;
  for (const StudyRow& row : device.rows)
    if (!row.correct()) failed.push_back(&row);
  if (failed.empty()) return "";
  MarkdownTable table({"configuration", "outcome", "reason"});
  for (std::size_t i = 0; i < std::min(failed.size(), kMostFailures); ++i) {
    table.add({code(failed[i]->configuration), std::string(to_string(failed[i]->outcome)),
               prose(headline(failed[i]->detail))});
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
  return text + table.text_said_once();
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
  if (device.is_choice())
    text += fmt::format(
        "Here are {} of {} configurations: of each problem the best and the worst, and an even choice of the others; "
        "'tailwave query' has all. ",
        device.rows.size(), device.measured);
  if (device.is_searched)
    text += fmt::format(
        "A search chose these from {} configurations: one that it did not try may be faster, "
        "and slow ones have few samples. ",
        device.chosen_from);
  else if (device.chosen_from > 0)
    text += fmt::format(
        "These are of some shards of {} configurations: one of those that are missing may be faster. ",
        device.chosen_from);
  if (!text.empty()) text.back() = '\n';
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string device_section(const Study& study, const DeviceStudy& device, const std::string& charts,
                           Footnotes& notes) {
  if (device.rows.empty()) return fmt::format("\n## {}\n{}", prose(device.device), charts);
  const std::vector<const StudyRow*> rows = shown_rows(device, kMostRows, true);
  const Labels labels(rows, study.names);
  return fmt::format("\n## {}\n\n{}{}", prose(device.device), origin(device),
                     charts.empty() ? "" : charts.substr(1) + "\n") +  // which begins with an empty line
         (device.is_choice()
              ? fmt::format("### {} of {} configurations\n\n", device.rows.size(), device.measured)
              : fmt::format("### All {}\n\n", plural(device.rows.size(), "configuration"))) +
         results_part(study, device, rows, labels, notes) + fronts_part(device) + energy_part(device) +
         regimes_part(device, labels) + published_part(device) + failures(device) +
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
