#pragma once

#include <filesystem>

#include "store/database.h"
#include "store/merge_rows.h"

namespace tailwave {

struct MergeOptions {
  bool allow_different = false;  // see require_alike()
};

// Throws Error (bad usage) where the latest measured runs of an experiment on a device, here and there, are not of the same
// spec, manifest and sources, compiler of what was timed, or version of tailwave; the message names both files and
// what differs. Of experiments of which `source` has no run that `into` lacks nothing is asked.
void require_alike(Database& into, Database& source);

// Throws Error (kRunFailed) for a file that SQLite finds damaged.
void require_sound(Database& source);

// Adds what `source` has and `into` lacks, in one transaction (merge_rows.h): which of several databases is merged first,
// or whether one is merged twice, changes nothing of what there is in the end but ids. `source` was opened for
// reading alone, and may be written meanwhile: what it had at one moment is merged.
MergedRows merge_database(Database& into, Database& source, const MergeOptions& options);

}  // namespace tailwave
