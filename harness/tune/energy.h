#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/energy.h"
#include "device/executor.h"
#include "measure/measurer.h"
#include "measure/tools.h"
#include "measure/worker.h"
#include "spec/experiment.h"
#include "store/database.h"

namespace tailwave {

// Reads of the counter of energy while something runs.
struct PowerReading {
  double at_s = 0;  // since some moment
  PowerState state;
};

// What a window says that ended at `end_s` and lasted for record.window_s: fills all but executions and window_s.
// Readings are in the order of their times. Nothing in the first kSettleS of the window counts. Throws
// Failure(unavailable) where the counter did not step twice.
inline constexpr double kSettleS = 0.25;
void count_energy(const std::vector<PowerReading>& readings, double end_s, EnergyRecord& record);

// Executes a configuration, which has to be known as correct, back to back on the run's device, as a stream of launches on
// one set of buffers, so that the counter of energy is seen for at least `window_s`. Throws Failure where it does not run,
// and Failure(unavailable) where nobody counts energy (a CPU, a driver or an instance of a GPU that does not tell).
EnergyRecord measure_energy(const Experiment& experiment, const Configuration& configuration,
                            const Tools& tools, double window_s);

// What measure_energy() asks of a worker, which has to be started with these systems.
Tasks energy_tasks(const std::vector<const System*>& systems);

// Measures the best of each problem that count and whose energy is not known yet, as the experiment's `energy` says, and
// stores what came out, with the metrics that follow from it; one transaction each. Gives how many were asked for. A
// configuration that cannot be measured has the reason in its record. Throws Cancelled when a stop is requested.
std::size_t measure_energies(const Experiment& experiment, Measurer& measurer, Database& database,
                             const std::function<bool()>& stop_requested);

}  // namespace tailwave
