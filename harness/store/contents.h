#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/device_kind.h"
#include "store/database.h"

namespace tailwave {

// What a database has, by name: what people may ask it for.

bool has_run(Database& database, std::int64_t run);
// Whether the project's commit of some run begins so.
bool has_commit(Database& database, const std::string& beginning);
// `name`: a device's name, or a kind of device ("cuda", "cpu", "recorded").
bool has_device(Database& database, const std::string& name);
// Current trials, traces, grid curves or counters of it, recorded elsewhere or not.
bool has_results(Database& database, const std::string& system, const std::string& experiment);

// The names of the devices that ran anything, a self-test too; sorted.
std::vector<std::string> devices_that_ran(Database& database);
// The names of the devices that have runs, traces, grid curves or counters of an experiment, whichever system's it is;
// of one kind, where it is given; sorted.
std::vector<std::string> devices_of(Database& database, const std::string& experiment,
                                    std::optional<DeviceKind> kind = {});

// Imported, by name and by system and name ("nbody/variants"), of which the recorded spec has published figures and the
// database has none; sorted.
std::vector<std::pair<std::string, std::string>> lacking_published_figures(Database& database);

// Which of these ran an experiment ("nbody/variants", or its name alone) last; the first of them where none did.
std::string latest_device(Database& database, const std::string& experiment,
                          const std::vector<std::string>& devices);

}  // namespace tailwave
