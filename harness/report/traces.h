#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_kind.h"
#include "report/markdown.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// A launch of the latest trace of a configuration; shares are of the slots' time (view trace_idle).
struct ObservedLaunch {
  std::string system, experiment, device;
  DeviceKind kind = DeviceKind::cuda;
  std::string configuration;
  std::string kernel, cause, disturbed;
  std::int64_t blocks = 0, blocks_per_sm = 0;
  std::optional<std::int64_t> seen_blocks_per_sm;  // none where not all blocks note
  double waves = 0, seen_waves = 0, duration_s = 0, traced_over_plain = 0;
  // Those below and what blocks ran make 1; none where the clock saw no time pass.
  std::optional<double> utilisation, ramp, early_warps, hand_over, quantisation, drain, sm_imbalance,
      block_variance;
  std::string doubtful;
};

// Of all experiments, by configuration and position; none where none of `studies` was traced. Reads every traced
// block: some seconds for a million.
std::vector<ObservedLaunch> load_traces(Database& database, const std::vector<const Study*>& studies);

// The section "Observed waves" of a device's part of a page; "" when nothing of the experiment was traced there.
std::string observed_waves(const Study& study, const DeviceStudy& device,
                           const std::vector<ObservedLaunch>& traces, Footnotes& notes);

}  // namespace tailwave
