#pragma once

#include <string>
#include <string_view>

#include "store/database.h"

namespace tailwave {

// Identities of runs (column run.identity): 12 hexadecimal digits that order them, milliseconds since 1970, and 20 that
// are random. `started_at` is UTC, ISO 8601; what is no such time counts as 1970.

bool is_run_identity(std::string_view text);

// Of a run that begins, later than the identity `after`; "" for none.
std::string new_run_identity(const std::string& started_at, const std::string& after);

// Later than all that there are.
std::string new_run_identity(Database& database, const std::string& started_at);

// Of a run that was recorded without one: what is known of it, `facts`, decides, so that databases that import the same
// recording have one run and not two. Random where this database has another run with these facts.
std::string recorded_run_identity(Database& database, const std::string& started_at,
                                  const std::string& facts);

}  // namespace tailwave
