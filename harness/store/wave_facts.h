#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "core/members.h"

namespace tailwave {

// Occupancy and waves of a configuration's main launch; see the view trial_waves.
struct WaveFacts {
  std::string kernel;
  std::int64_t grid = 0, block = 0;  // blocks, threads of one
  std::string occupancy_device;
  std::optional<std::int64_t> registers, blocks_per_sm, driver_blocks_per_sm, spill_bytes;
  std::string limiter;
  std::optional<double> occupancy, waves, tail_fraction;
  std::optional<std::int64_t> sms_asked, sms;
  std::optional<std::int64_t> cluster, active_clusters;  // blocks of one, and how many run at once

  static constexpr auto members() {
    return std::tuple{member("kernel", &WaveFacts::kernel),
                      member("grid", &WaveFacts::grid),
                      member("block", &WaveFacts::block),
                      member<kMayBeAbsent>("occupancy_device", &WaveFacts::occupancy_device),
                      member("registers", &WaveFacts::registers),
                      member("blocks_per_sm", &WaveFacts::blocks_per_sm),
                      member("driver_blocks_per_sm", &WaveFacts::driver_blocks_per_sm),
                      member("spill_bytes", &WaveFacts::spill_bytes),
                      member<kMayBeAbsent>("limiter", &WaveFacts::limiter),
                      member("occupancy", &WaveFacts::occupancy),
                      member("waves", &WaveFacts::waves),
                      member("tail_fraction", &WaveFacts::tail_fraction),
                      member("sms_asked", &WaveFacts::sms_asked),
                      member("sms", &WaveFacts::sms),
                      member("cluster", &WaveFacts::cluster),
                      member("active_clusters", &WaveFacts::active_clusters)};
  }
};

}  // namespace tailwave
