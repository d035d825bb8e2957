#include "cli/energy_said.h"

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "report/energy.h"
#include "tune/energy.h"

namespace tailwave {

bool measure_energy_of_best(Session& session, const Experiment& experiment, Measurer& measurer,
                            const Console& console) {
  if (!experiment.energy) return true;
  console.note(fmt::format("{}: executing the best back to back for {:g} s each, for their energy\n",
                           experiment.name, experiment.energy->window_s));
  try {
    measure_energies(experiment, measurer, session.database(), InterruptGuard::requested);
    return true;
  } catch (const Cancelled&) {
    return false;
  }
}

void say_energy(Database& database, const Experiment& experiment, const DeviceDescription& device,
                const Console& console) {
  if (!experiment.energy) return;
  const Table shown = energy_shown(database, experiment.system.name + "/" + experiment.name, device.name);
  if (shown.rows.empty()) return;
  console.say("\nback to back for seconds, the least energy first:\n");
  console.show(shown);
}

}  // namespace tailwave
