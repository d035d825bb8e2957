#include "spec/enumerate.h"

#include <unordered_set>

#include "spec/configuration_walk.h"

namespace tailwave {
namespace {

constexpr int kEnough = 10000;

}  // namespace

Enumeration enumerate(const Experiment& experiment, bool for_cpu_device) {
  Enumeration result;
  std::unordered_set<std::string> seen;
  const bool may_repeat = experiment.cases.size() > 1;
  try {
    ConfigurationWalk(experiment, for_cpu_device, [&](const ConfigurationWalk::Place& place) {
      Configuration configuration = place.configuration(experiment.system.name);
      if (may_repeat && !seen.insert(configuration.name()).second) return true;
      if (for_cpu_device && !allowed_on_cpu(experiment, configuration)) {
        ++result.left_out_on_cpu;
      } else {
        result.configurations.push_back(std::move(configuration));
      }
      return true;
    }).run();
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
  return result;
}

void check_enumeration(const Experiment& experiment, Reporter& reporter) {
  try {
    for (const bool for_cpu_device : {false, true}) {
      if (for_cpu_device && experiment.cpu_problem.empty() && experiment.cpu_constraints.empty()) break;
      int visited = 0;
      ConfigurationWalk(experiment, for_cpu_device, [&](const ConfigurationWalk::Place& place) {
        if (for_cpu_device) (void)allowed_on_cpu(experiment, place.configuration(experiment.system.name));
        return ++visited < kEnough;
      }).run();
      if (visited == 0) {
        return reporter.report(experiment.constraints_pointer,
                               for_cpu_device ? "no configuration satisfies all constraints with the "
                                                "problem of the CPU device"
                                              : "no configuration satisfies all constraints");
      }
    }
  } catch (const ConstraintFailure& failure) {
    reporter.report(failure.pointer, failure.error);
  }
}

}  // namespace tailwave
