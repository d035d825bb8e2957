#pragma once

#include <vector>

#include "fakes/simulated_blocks.h"
#include "report/fixture.h"

namespace tailwave::samples {

struct StoredTrace {
  std::int64_t sms = 1;
  std::int64_t blocks_per_sm = 1;
  std::int64_t traced_blocks_per_sm = blocks_per_sm;
  std::int64_t cluster_slots = 0;  // 0: there are no clusters
  std::int64_t clock_step_ns = 32;
  std::string disturbed;
  std::string traced_at = "2025-06-01T10:00:00Z";
};

// Stores a trace of one launch of nbody's basic, BLOCK_SIZE 1, on the fixture's GPU; gives its id.
inline std::int64_t store_trace(Database& database, const StoredTrace& trace,
                                const std::vector<fakes::SimulatedBlock>& blocks) {
  Transaction transaction(database);
  database
      .prepare(
          "INSERT INTO trace SELECT NULL, device.id, configuration.id, 'nbody', 'basic_block_size', 'ptx', "
          "?, '13.0', "
          "'NVRTC 13.0', 'abc1234', ?, 500000, 510000, nullif(?, ''), NULL FROM device, configuration "
          "WHERE device.kind = 'cuda' AND configuration.name = 'nbody/basic/BLOCK_SIZE:1/DT:0.01/N:4096'")
      .bind_all(trace.traced_at, trace.clock_step_ns, trace.disturbed)
      .step();
  const std::int64_t id = database.last_row_id();
  std::int64_t last_ns = 0;
  for (const fakes::SimulatedBlock& block : blocks) last_ns = std::max(last_ns, block.end_ns);
  database
      .prepare(
          "INSERT INTO trace_launch VALUES (?, 0, 'body_force', ?, 1, 1, 32, 1, 1, 0, ?, ?, 'blocks', 32, "
          "34, 0, 0, ?, 1, ?, 1, nullif(?, 0))")
      .bind_all(id, static_cast<std::int64_t>(blocks.size()), trace.sms, trace.blocks_per_sm,
                trace.traced_blocks_per_sm, last_ns, trace.cluster_slots)
      .step();
  std::int64_t number = 0;
  for (const fakes::SimulatedBlock& block : blocks)
    database.prepare("INSERT INTO block_trace VALUES (?, 0, ?, ?, ?, ?, ?, 1)")
        .bind_all(id, number++, block.sm, block.start_ns, block.end_ns, block.end_ns)
        .step();
  transaction.commit();
  return id;
}

inline std::int64_t store_trace(Database& database, const fakes::SimulatedDevice& device,
                                std::int64_t blocks) {
  const StoredTrace trace{.sms = device.sms, .blocks_per_sm = device.slots_per_sm};
  return store_trace(database, trace, fakes::simulate(device, blocks));
}

// Two SMs of two slots and five blocks:
//   SM 0: 0..10, 2..8, 9..19      SM 1: 1..11, 4..12
// 76 ns of slot-time, of which 44 are busy, 0 + 2 + 1 + 4 ramp, 9 - 8 between blocks, 9 + 0 + 8 + 7 tail.
inline std::int64_t store_small_trace(Database& database) {
  const StoredTrace trace{.sms = 2, .blocks_per_sm = 2, .clock_step_ns = 1, .disturbed = "2 registers more"};
  return store_trace(database, trace, {{0, 0, 10}, {0, 2, 8}, {1, 1, 11}, {0, 9, 19}, {1, 4, 12}});
}

}  // namespace tailwave::samples
