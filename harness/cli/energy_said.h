#pragma once

#include "cli/console.h"
#include "cli/session.h"
#include "measure/measurer.h"
#include "spec/experiment.h"

namespace tailwave {

// After a run or a search: measures the energy of the best where the experiment asks for it, and stores it. False: a stop
// was requested, and what was measured before is stored.
bool measure_energy_of_best(Session& session, const Experiment& experiment, Measurer& measurer,
                            const Console& console);

// For people: all that is known of the experiment's energy; nothing where the experiment does not ask for it.
void say_energy(Database& database, const Experiment& experiment, const DeviceDescription& device,
                const Console& console);

}  // namespace tailwave
