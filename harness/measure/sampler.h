#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/trial.h"
#include "device/executor.h"
#include "spec/experiment.h"

namespace tailwave {

// What the sampler drives.
struct Subject {
  std::string name;  // the benchmark's name: Configuration::name()
  // So many runs of so many executions, each run from inputs as at the start; times are per execution. May throw
  // Failure, which ends sampling.
  std::function<std::vector<RunResult>(int executions, int runs)> run;
};

struct SamplingPlan {
  const MeasureSettings* settings = nullptr;
  int repetition = 0;
  std::optional<double> race_to_ns;  // gives up on what is surely slower than this
  // Wall-clock time in seconds of a run of one execution with what prepares it; 0: nobody knows.
  double run_s = 0;
};

struct Sampling {
  std::vector<Sample> samples;  // Sample::sequence is left to the caller
  // "precision", "samples" (a fixed number, or max_samples), "time cap of 2 s", "slower than the best"
  std::string stopped_by;
  // Where a sample is several executions: the fastest of three single ones on fresh inputs.
  std::optional<double> fresh_ns;
};

// Times one repetition of a subject under Google Benchmark: one benchmark with manual time, whose single iteration
// takes all samples (letting the library find an iteration count costs far more wall time than the kernel), and
// whose reported time is their median.
//
// Warm-up executions come first. Sampling ends when half the 95 % interval of the median (median_interval) is at most
// settings.precision of the median, with settings.samples taken at least; with settings.max_samples; or, with
// kFewestAtTimeCap taken, after settings.time_cap_s of wall-clock time. Samples that mark_dropped() drops do not count.
inline constexpr int kFewestAtTimeCap = 3;
Sampling sample(const Subject& subject, const SamplingPlan& plan);

// Drops what was measured while the SM ran at less than 90 % of the fastest clock seen in these samples, since a mean
// over two clocks is the time of neither. Where no clock is known nothing is dropped, nor when that were more than
// half. Of the CPU device, drops what waited for cores, which is the time of other programs, if kFewestAtTimeCap are left.
void mark_dropped(std::vector<Sample>& samples);

}  // namespace tailwave
