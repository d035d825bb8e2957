#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds the rule of occupancy/launch_speed.h, which advice predicts by, to a connection for named queries; NULL where
// an argument is NULL or not positive:
//   wave_balance(grid, sms, blocks_per_sm), latency_hiding(grid, block, sms, blocks_per_sm),
//   occupancy_blocks(device, registers, shared_bytes, block): blocks that an SM holds at once by compute_occupancy, 0
//     where one does not fit; barriers and launch bounds are taken not to limit. NULL too for a device that is not
//     known.
// Views must not use them, so that any SQLite program can open a database.
void add_advice_functions(sqlite3* database);

}  // namespace tailwave
