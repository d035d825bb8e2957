#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/table_shape.h"

namespace tailwave {

// What a merge did to a database.
struct MergedRows {
  std::int64_t runs_added = 0;
  std::int64_t runs_extended = 0;  // that had gone on since they were merged before
  std::int64_t runs_known = 0;     // that were there already, all of them
  std::int64_t trials_added = 0;
  std::int64_t rows_added = 0;  // of all tables
};

// The name by which the database that is merged is attached.
inline constexpr const char* kMerged = "merged";

// Copies all rows of the database attached as kMerged, by what the schema says of its tables, inside the caller's
// transaction:
//
// - What has a UNIQUE constraint (devices, configurations, builds, runs) is the same where those columns are. Of two
//   that differ in others the smaller values stay, whichever was there first; but see runs.
// - A run is there as a whole, with all that ON DELETE CASCADE would delete with it. One that both have is extended by
//   rows that it lacks; where rows with the same key differ, the later state of the run has it: the one that ended
//   later, or ended at all.
// - Tables without references that have a column `system` hold what manifests say: the rows of a system, or of an
//   experiment where they have that column too, are those of the database with the latest run of it.
// - All other rows (traces, curves, counters, self-tests, simulations) are there with all that belongs to them; one is the same where
//   all its columns are.
// - Ids are given anew, in the order that they had.
//
// `file`: what is said of a run's origin, unless it has been merged before.
MergedRows merge_rows(Database& into, const std::vector<TableShape>& tables, const std::string& file);

}  // namespace tailwave
