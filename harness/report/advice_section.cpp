#include "report/advice_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/labels.h"
#include "report/markdown.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostAdvice = 3;

std::string value_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return prose(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  const auto* real = std::get_if<double>(&cell);
  return real == nullptr ? "none" : format_number(*real);
}

std::string bullet(const Advice& advice, const std::string& label) {
  std::string text = fmt::format("- From {}, {} {} instead of {}: ", label, code(advice.parameter),
                                 value_text(advice.new_value), value_text(advice.value));
  const std::string gain = format_number(advice.gain);
  if (advice.source != AdviceSource::measured)
    return text + fmt::format("predicted {} times as fast ({}: {}).\n", gain, to_string(advice.source),
                              prose(advice.evidence));
  const std::string range = advice.interval ? fmt::format(" ({} to {})", format_number(advice.interval->low),
                                                          format_number(advice.interval->high))
                                            : "";
  return text + fmt::format("measured {} times as fast{}.\n", gain, range);
}

std::string likely(const AdviceRecord& record) {
  const auto share = record.share();
  return share ? fmt::format("{:.1f} %", 100 * *share) : "";
}

std::string record_table(const std::vector<const AdviceRecord*>& records) {
  if (records.empty()) return "";
  MarkdownTable table(
      {"advice by", "changes judged:", "advised:", "right:", "next one right:", "correlation:"});
  for (const AdviceRecord* one : records)
    table.add({std::string(to_string(one->source)), fmt::format("{}", one->changes),
               fmt::format("{}", one->advised), fmt::format("{}", one->right), likely(*one),
               one->correlation ? fmt::format("{:.2f}", *one->correlation) : ""});
  return "\nHow often such advice was right here, where what it says was measured "
         "(`tailwave query advice_record`):\n\n" +
         table.text();
}

}  // namespace

AllAdvice load_advice_of(Database& database, const std::vector<const Study*>& studies) {
  AllAdvice all;
  for (const Study* study : studies) {
    AllAdvice one = load_advice(database, {{"experiment", study->name()}});
    all.advice.insert(all.advice.end(), one.advice.begin(), one.advice.end());
    for (AdviceRecord& record : one.records)
      if (record.experiment == study->name()) all.records.push_back(std::move(record));
  }
  return all;
}

std::string advice_section(const Study& study, const DeviceStudy& device, const AllAdvice& all) {
  const bool any_timed = std::any_of(device.rows.begin(), device.rows.end(),
                                     [&](const StudyRow& row) { return row.value && device.competes(row); });
  if (device.kind != DeviceKind::cuda || !any_timed) return "";
  const auto is_here = [&](const auto& row) {
    return row.experiment == study.name() && row.device == device.device;
  };
  std::vector<const Advice*> advice;
  for (const Advice& one : all.advice)
    if (is_here(one)) advice.push_back(&one);
  std::stable_sort(advice.begin(), advice.end(),
                   [](const Advice* a, const Advice* b) { return a->gain > b->gain; });
  const Labels labels(device, study.names);
  std::string text = "\n### Advice\n\n";
  std::set<std::string> parameters;
  for (const Advice* one : advice)
    if (parameters.size() < kMostAdvice && parameters.insert(one->parameter).second)
      text += bullet(*one, configuration_label(device, labels, one->configuration));
  if (advice.empty()) text += "None: nothing that was measured says that a change of one value would gain.\n";
  std::vector<const AdviceRecord*> records;
  for (const AdviceRecord& one : all.records)
    if (is_here(one)) records.push_back(&one);
  return text + record_table(records);
}

std::string advice_totals(const AllAdvice& all) {
  std::map<std::pair<std::string, AdviceSource>, AdviceRecord> sums;
  for (const AdviceRecord& one : all.records) {
    AdviceRecord& sum = sums[{one.device, one.source}];
    sum.changes += one.changes;
    sum.advised += one.advised;
    sum.right += one.right;
  }
  if (sums.empty()) return "";
  MarkdownTable table({"device", "advice by", "changes judged:", "advised:", "right:", "next one right:"});
  for (const auto& [key, sum] : sums)
    table.add({prose(key.first), std::string(to_string(key.second)), fmt::format("{}", sum.changes),
               fmt::format("{}", sum.advised), fmt::format("{}", sum.right), likely(sum)});
  return "\n## Advice\n\nHow often it was right in all experiments, where what it says was measured "
         "(`tailwave query advice_record`):\n\n" +
         table.text();
}

}  // namespace tailwave
