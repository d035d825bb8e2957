#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What the best of a problem is set beside, alike in the terminal, on pages, in their charts and in queries.

// `rows` are here those with a value of one problem that compete, in the order of the study; at least one.
using StudyRows = std::vector<const StudyRow*>;

struct Baseline {
  const StudyRow* row = nullptr;
  std::string
      is;  // "the manifest's defaults of the first GPU variant", "the first program", "the first configuration"
};

// Of the first variant the configuration with the manifest's defaults, or else its first one. It may be the best itself.
Baseline baseline_of(const StudyRows& rows);

// Configurations that were skipped, with those that measured the same machine code on this device.
std::map<std::string, std::string> names_of_identical(Database& database, const Study& study,
                                                      const DeviceStudy& device);

// Marks rows as `standard`. defaults: of variants.
void mark_standard(Database& database, const Study& study, DeviceStudy& device,
                   const std::map<std::string, Values>& defaults);

// A ladder has so many configurations at most; of more the best of each variant are its steps.
inline constexpr std::size_t kMostSteps = 16;
// All rows, or of more than `most` the best of each variant and the baseline; in their order.
StudyRows steps_of(const DeviceStudy& device, const StudyRows& rows, std::size_t most = kMostSteps);

// The best of those of a device's rows with a value that are wanted; null: none.
const StudyRow* best_row(const DeviceStudy& device, const std::function<bool(const StudyRow&)>& is_wanted);
// The best that a GPU's run measured of host variants on this problem; null: none.
const StudyRow* best_on_host(const DeviceStudy& device, const Values& problem);

// How many times better one value of the metric is than another; none where one of them is not above 0.
std::optional<double> times_better(const DeviceStudy& device, double value, double over);
// "47.4", "1.04", "6235": a factor for people.
std::string times_text(double ratio);

// "tied with 2 of 5 others, the samples do not show whether 1 of 5 others is slower" of a best one; "" where there is no other.
std::string tied_text(const Study& study, std::size_t tied, std::size_t unclear, std::size_t others);

}  // namespace tailwave
