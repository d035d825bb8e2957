#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/trial.h"
#include "spec/experiment.h"

namespace tailwave {

// What the sampler drives. Both may throw Failure, which ends sampling.
struct Subject {
  std::string name;                           // the benchmark's name: Configuration::name()
  std::function<void()> reset;                // inputs as at the start, untimed; called before every sample
  std::function<double(int executions)> run;  // nanoseconds per execution
  std::map<std::string, double> work;         // per execution; becomes counters "<name>_per_second"
  std::map<std::string, double> counters;     // occupancy, waves, tail
};

struct Sampling {
  std::vector<Sample> samples;  // of all repetitions
  std::string stopped_by;       // "samples", or "time cap of 2 s" when a repetition ended early
};

// Times a subject under Google Benchmark: one benchmark per repetition with manual time, whose single
// iteration takes all samples (letting the library find an iteration count costs far more wall time than the
// kernel), and whose reported time is their median. Modes:
//   isolated  a sample is one execution alone on the device; what a caller waits for
//   batched   a sample is as many executions back to back as fill batch_ms, divided by their number;
//   throughput
// Warm-up executions come first. A repetition ends after settings.samples samples or, with at least
// kFewestSamples taken, at settings.time_cap_s.
inline constexpr int kFewestSamples = 3;
Sampling sample(const Subject& subject, const MeasureSettings& settings);

}  // namespace tailwave
