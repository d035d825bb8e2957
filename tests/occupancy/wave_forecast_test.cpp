#include "occupancy/wave_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "fakes/simulated_blocks.h"

namespace tailwave {
namespace {

// Time over that of full waves of equal blocks, on average over ten launches.
double simulated_time(std::int64_t blocks, std::int64_t sms, std::int64_t slots_per_sm) {
  constexpr double kMeanNs = 1e6;
  double sum_ns = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    fakes::SimulatedDevice device{.sms = sms, .slots_per_sm = slots_per_sm};
    device.block_ns = fakes::log_normal(kMeanNs, kAssumedSpread);
    device.seed = seed;
    std::int64_t last_ns = 0;
    for (const fakes::SimulatedBlock& block : fakes::simulate(device, blocks))
      last_ns = std::max(last_ns, block.end_ns);
    sum_ns += static_cast<double>(last_ns);
  }
  return sum_ns / 10 / kMeanNs * static_cast<double>(sms * slots_per_sm) / static_cast<double>(blocks);
}

TEST(WaveForecast, IsOneForFullWavesOfEqualBlocks) {
  const WaveForecast forecast = forecast_waves(3 * 432, 108, 4);
  EXPECT_DOUBLE_EQ(forecast.staircase, 1);
  EXPECT_DOUBLE_EQ(forecast.partial_wave, 1);
  EXPECT_GT(forecast.uneven_blocks, 1.05);
}

TEST(WaveForecast, CountsABlockMoreAsAWaveOrAsAShareOfOne) {
  const WaveForecast forecast = forecast_waves(433, 108, 4);
  EXPECT_DOUBLE_EQ(forecast.staircase, 2 * 432.0 / 433);
  EXPECT_DOUBLE_EQ(forecast.partial_wave, 1.25 * 432 / 433);
}

TEST(WaveForecast, CountsTheBusiestSmBelowAWave) {
  const WaveForecast forecast = forecast_waves(150, 100, 4);
  EXPECT_DOUBLE_EQ(forecast.staircase, 400.0 / 150);
  EXPECT_DOUBLE_EQ(forecast.partial_wave, 2 / 1.5);
}

TEST(WaveForecast, AgreesWithAnotherSimulationOfLogNormalBlocks) {
  for (const std::int64_t blocks : {100, 842, 864, 1318, 2160, 3888, 8640})
    EXPECT_NEAR(forecast_waves(blocks, 108, 4).uneven_blocks / simulated_time(blocks, 108, 4), 1, 0.06)
        << blocks;
}

TEST(WaveForecast, SeesTheStepAtAWholeWaveOfManySlots) {
  const double full = forecast_waves(4224, 132, 32).uneven_blocks;
  EXPECT_GT(forecast_waves(4225, 132, 32).uneven_blocks, 1.5 * full);
}

TEST(WaveForecast, LosesLessTheMoreWavesThereAre) {
  double last = 10;
  for (const std::int64_t waves : {1, 2, 4, 8, 16, 100}) {
    const WaveForecast forecast = forecast_waves(waves * 432 + 1, 108, 4);
    EXPECT_LT(forecast.uneven_blocks, last) << waves;
    last = forecast.uneven_blocks;
  }
  EXPECT_LT(last, 1.02);
}

TEST(WaveForecast, RefusesWhatIsNotPositive) {
  EXPECT_THROW(forecast_waves(0, 1, 1), std::invalid_argument);
  EXPECT_THROW(forecast_waves(1, 0, 1), std::invalid_argument);
  EXPECT_THROW(forecast_waves(1, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tailwave
