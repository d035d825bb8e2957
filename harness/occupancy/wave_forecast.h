#pragma once

#include <cstdint>

namespace tailwave {

// How long a grid takes, over what as many blocks would take in waves that are all full and of equal blocks: W times
// the time of a full wave. From W and the number of slots alone, so without a measurement.
struct WaveForecast {
  // ceil(W) / W. Also what partial waves take when a block takes equally long however many share its SM (it waits for
  // latency): the most of what partial waves can.
  double staircase = 1;
  // Partial waves, when blocks that share an SM share what it can do in a time (it is busy with one of them): t(r)
  // proportional to r. The least of what partial waves can: ceil(rest / sms) of blocks_per_sm for the last one.
  double partial_wave = 1;
  // As the staircase, but the blocks' times are log-normal with a spread (standard deviation over mean) of
  // kAssumedSpread and each slot takes the next block when it is free (Graham, Bounds on multiprocessing timing
  // anomalies, 1969): simulated, with the same random numbers for all. Beyond 8 full waves the time lost is that of 8
  // and the same last wave; of more than 8192 slots, 8192 with as many waves are simulated.
  double uneven_blocks = 1;
};

inline constexpr double kAssumedSpread = 0.05;

// Throws std::invalid_argument unless all are positive.
WaveForecast forecast_waves(std::int64_t blocks, int sms, int blocks_per_sm);
// Without a simulation, which takes up to milliseconds: uneven_blocks is the staircase.
WaveForecast forecast_even_waves(std::int64_t blocks, int sms, int blocks_per_sm);

}  // namespace tailwave
