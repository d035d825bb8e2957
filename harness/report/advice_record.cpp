#include "report/advice_record.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace tailwave {
namespace {

constexpr const char* kAll = "all";
constexpr std::size_t kFewestCorrelated = 3;

}  // namespace

std::optional<double> AdviceRecord::share() const {
  if (advised == 0) return std::nullopt;
  return Trust::succession(right, advised);
}

AdviceRecords::Sum& AdviceRecords::sum_of(const std::string& experiment, const std::string& device,
                                          AdviceSource source) {
  Sum& sum = sums_[{experiment == kAll, experiment, device, source}];
  sum.record.experiment = experiment;
  sum.record.device = device;
  sum.record.source = source;
  return sum;
}

void AdviceRecords::add(const std::string& experiment, const std::string& device, AdviceSource source,
                        const Judged& judged) {
  for (const std::string& name : {experiment, std::string(kAll)}) {
    Sum& sum = sum_of(name, device, source);
    ++sum.record.changes;
    sum.record.advised += judged.advised ? 1 : 0;
    sum.record.right += judged.advised && judged.measured > 0 ? 1 : 0;
    sum.predicted.push_back(judged.predicted);
    sum.measured.push_back(judged.measured);
  }
}

void AdviceRecords::add(const MeasuredProblem& problem, AdviceSource source, const Trust& trust) {
  const std::vector<bool> believed = trust.believed();
  for (std::size_t i = 0; i < believed.size(); ++i)
    add(problem.experiment, problem.device, source,
        {trust.judged()[i].predicted, trust.judged()[i].measured, believed[i]});
}

void AdviceRecords::add(const std::vector<CurveChange>& changes) {
  for (const CurveChange& one : changes)
    add(one.experiment, one.device, AdviceSource::curve,
        {std::log(one.predicted_gain), std::log(one.measured_gain),
         one.predicted_gain >= Trust::kLeastGain && beyond_error(one.predicted_gain, one.worst_error)});
}

void AdviceRecords::add(const std::vector<RuleRecord>& rule) {
  for (const RuleRecord& row : rule)
    if (row.experiment != kAll && row.parameter != kAll) add_rule(row);
  for (const RuleRecord& row : rule)
    if (row.parameter == kAll)
      sum_of(row.experiment, row.device, AdviceSource::rule).record.correlation = row.correlation;
}

void AdviceRecords::add_rule(const RuleRecord& row) {
  // Of the others, if one is left out.
  const auto is_enough = [&](std::size_t right) {
    return row.advised > 0 && Trust::succession(right, row.advised - 1) >= Trust::kRight;
  };
  const std::size_t right = row.faster > 0 && is_enough(row.faster - 1) ? row.faster : 0;
  const std::size_t wrong = is_enough(row.faster) ? row.advised - row.faster : 0;
  for (const std::string& name : {row.experiment, std::string(kAll)}) {
    AdviceRecord& record = sum_of(name, row.device, AdviceSource::rule).record;
    record.changes += row.changes;
    record.advised += right + wrong;
    record.right += right;
  }
  if (Trust::succession(row.faster, row.advised) >= Trust::kRight)
    trusted_[{row.experiment, row.device, row.parameter}] = {row.faster, row.advised};
}

std::vector<AdviceRecord> AdviceRecords::list() const {
  std::vector<AdviceRecord> records;
  for (const auto& [key, sum] : sums_) {
    if (sum.record.changes == 0) continue;
    AdviceRecord& record = records.emplace_back(sum.record);
    if (sum.predicted.size() < kFewestCorrelated) continue;
    const double found = rank_correlation(sum.predicted, sum.measured);
    if (std::isfinite(found)) record.correlation = found;
  }
  return records;
}

std::optional<std::pair<std::size_t, std::size_t>> AdviceRecords::trusted(const LaunchChange& change) const {
  const auto found = trusted_.find({change.experiment, change.device, change.parameter});
  return found == trusted_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tailwave
