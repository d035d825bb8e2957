#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds to a connection what SQL has to know of GPUs that nobody ran anything on: those of occupancy/device_spec.h, by
// any name that find_device() takes. For claims, which say what holds on the GPU of a study.
//   gpu_sms(gpu), gpu_clock_mhz(gpu), gpu_bandwidth(gpu), GB/s by its data sheet,
//   gpu_blocks_per_sm(gpu, threads, registers, shared_bytes): resident blocks an SM of a kernel with so many threads a
//     block, registers a thread and bytes of shared memory a block (occupancy/occupancy.h); 0 where a block cannot start,
//   gpu_limiter(gpu, threads, registers, shared_bytes): what limits them, as the column `limiter` of views says it,
//   gpu_waves(gpu, blocks, threads, registers, shared_bytes): blocks / (SMs x resident blocks an SM).
// NULL arguments give NULL; a name of no GPU, and what the calculator cannot say, is an error of the query.
void add_gpu_functions(sqlite3* database);

}  // namespace tailwave
