#pragma once

#include <string>

#include "core/table.h"
#include "store/database.h"

namespace tailwave {

// For people: what is known of the energy of an experiment's trials that count ("system/name", a run device's name), the
// least energy first, with the sustained time beside the burst time; no rows where nothing was measured.
Table energy_shown(Database& database, const std::string& experiment, const std::string& device);

}  // namespace tailwave
