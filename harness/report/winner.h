#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "report/beside.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What a run or a search ends with: which configuration is the best of a problem, and how much better than two others.

struct Winner {
  const StudyRow* row = nullptr;                  // of the study; it has the lowest median cost
  std::optional<Beside> baseline;                 // report/baseline.h; it may be the winner itself
  std::string baseline_is;                        // as Baseline; "" without one
  std::optional<Beside> next;                     // none: nothing else has a time
  std::size_t others = 0, tied = 0, unclear = 0;  // contenders but for itself; see Standing
  // Of all contenders, how many had other processes on the device while they were measured.
  std::size_t disturbed = 0;
};

// What has a time on the winner's problem and competes with it; `device` is of load_results().
std::vector<const StudyRow*> contenders_of(const DeviceStudy& device, const StudyRow& winner);

// The winner of the contenders, rows of the device with one problem; none where nothing can be compared.
std::optional<Winner> winner_of(Database& database, const DeviceStudy& device,
                                const std::vector<const StudyRow*>& contenders);

// For each problem, in their order.
std::vector<Winner> winners_of(Database& database, const DeviceStudy& device);

// Of one problem in lines: the winner with all its parameters, its value with an interval, and how many times it is as
// fast as the baseline and as the next.
std::string winner_text(const Study& study, const Winner& winner);

// "tuned, BLOCK_SIZE 128, SPLIT 64": with all its parameters, whatever the others have.
std::string full_name(const Study& study, const StudyRow& row);

// As report/baseline.h has it.
std::string tied_text(const Study& study, const Winner& winner);

// A row for each problem: its quantities, the winner, its value, times the baseline and times the next with their
// intervals, how many are tied, of how many the samples do not show whether they are worse, and which the baseline is.
Table winners_table(const Study& study, const std::vector<Winner>& winners);

}  // namespace tailwave
