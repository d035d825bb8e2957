#pragma once

#include <string>

#include "measure/tools.h"
#include "spec/experiment.h"

namespace tailwave {

// What makes two trials of an experiment the same measurement: the build (source, headers, defines, options,
// compiler; the planner's too), launch plan, inputs, reference (its build too) and tolerance, problem, work, metric,
// settings, the device, and the one that occupancy is computed for. Keeps experiment and tools by reference.
class TrialKeys {
 public:
  TrialKeys(const Experiment& experiment, const Tools& tools, std::string reference_key);

  // A configuration that has no build key (an option without a value) is known by its failure, which its build will
  // meet again.
  [[nodiscard]] std::string build_key(const Configuration& configuration) const;
  [[nodiscard]] std::string key(const Configuration& configuration, const std::string& build_key,
                                const MeasureSettings& settings) const;

 private:
  const Experiment& experiment_;
  const Tools& tools_;
  std::string reference_key_;
};

}  // namespace tailwave
