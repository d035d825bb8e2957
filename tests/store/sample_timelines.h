#pragma once

#include <string>
#include <vector>

#include "core/timeline.h"
#include "store/observation_store.h"
#include "store/sample_data.h"

namespace tailwave::samples {

// Three records in two streams, 1000 ns from the first begin to the last end: 0..400 and 300..600 overlap by 100, then
// nothing runs for 150, then a copy from 750 to 1000.
inline Timeline sample_timeline(const std::string& variant = "basic", const Values& parameters = {}) {
  Timeline timeline;
  timeline.configuration = trial(variant, parameters, {}).configuration;
  timeline.compiler = "NVRTC 13.0";
  timeline.code_hash = "f00d";
  timeline.time_ns = 900;
  timeline.executions = 5;
  timeline.found = 3;
  timeline.records = {
      {.number = 0, .name = "body_force", .position = 0, .begin_ns = 0, .end_ns = 400, .bytes = {}},
      {.number = 1,
       .name = "body_force",
       .position = 0,
       .stream = 1,
       .begin_ns = 300,
       .end_ns = 600,
       .bytes = {}},
      {.number = 2,
       .kind = ActivityKind::copy,
       .name = "device to host",
       .position = {},
       .begin_ns = 750,
       .end_ns = 1000,
       .bytes = 4096}};
  return timeline;
}

inline std::int64_t store_timeline(Database& database, const Timeline& timeline, const std::string& at,
                                   const std::string& experiment = "variants",
                                   const DeviceDescription& device = gpu()) {
  return add_timeline(database,
                      {.system = timeline.configuration.system,
                       .experiment = experiment,
                       .observed_at = at,
                       .driver = "13.0 (580.1)",
                       .commit = "abc1234"},
                      device, timeline);
}

}  // namespace tailwave::samples
