#include "core/trial.h"

#include "core/statistics.h"

namespace tailwave {

std::vector<double> counted_times_ns(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& sample : samples) {
    if (sample.dropped.empty()) times.push_back(sample.time_ns);
  }
  return times;
}

double median_ns(const Trial& trial) {
  const std::vector<double> times = counted_times_ns(trial.samples);
  return times.empty() ? 0 : median(times);
}

}  // namespace tailwave
