#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave::samples {

struct TracedBlock {
  int block, sm, start_ns, end_ns;
};

// A trace of a configuration of the fixture on its GPU, with one launch of as many blocks as given. Returns its id.
inline std::int64_t add_trace(Database& database, const std::string& configuration,
                              const std::vector<TracedBlock>& blocks, int sms, int blocks_per_sm,
                              const std::string& traced_at = "2025-06-01T10:00:00Z") {
  database.execute(
      fmt::format("INSERT INTO trace (device_id, configuration_id, system, experiment, method, traced_at, "
                  "driver, compiler, "
                  "project_commit, clock_step_ns, plain_time_ns, traced_time_ns) SELECT device.id, "
                  "configuration.id, 'nbody', "
                  "'basic_block_size', 'ptx', '{}', '', '', '', 32, 1000, 1010 FROM device, configuration "
                  "WHERE device.kind = 'cuda' AND configuration.name = '{}'",
                  traced_at, configuration));
  const std::int64_t trace = database.last_row_id();
  int last_ns = 0;
  for (const TracedBlock& block : blocks) last_ns = std::max(last_ns, block.end_ns);
  database.execute(fmt::format(
      "INSERT INTO trace_launch (trace_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, "
      "block_z, "
      "dynamic_shared_bytes, sms, blocks_per_sm, noted_one_in, duration_ns) "
      "VALUES ({}, 0, 'body_force', {}, 1, 1, 32, 1, 1, 0, {}, {}, 1, {})",
      trace, blocks.size(), sms, blocks_per_sm, last_ns));
  for (const TracedBlock& block : blocks)
    database.execute(fmt::format("INSERT INTO block_trace VALUES ({0}, 0, {1}, {2}, {3}, {4}, {4}, 1)", trace,
                                 block.block, block.sm, block.start_ns, block.end_ns));
  return trace;
}

// Seven blocks on two SMs with two slots each: 1.75 waves. Block 4 is the last to end, SM 1 the first to finish.
inline std::vector<TracedBlock> seven_blocks() {
  return {{0, 0, 0, 1000},    {1, 0, 0, 1500},    {2, 1, 0, 1000},   {3, 1, 0, 1200},
          {4, 0, 1000, 2500}, {5, 1, 1000, 1800}, {6, 0, 1500, 2000}};
}

}  // namespace tailwave::samples
