#pragma once

#include <span>
#include <string_view>

#include "store/database.h"

namespace tailwave {

// What brings a database from one user_version to the next.
struct Migration {
  int version;           // after the step
  std::string_view sql;  // all of it or nothing happens
};

// Marks a file as a tailwave database (PRAGMA application_id): "tlwv".
inline constexpr int kApplicationId = 0x746c7776;

// The steps this program knows, in order; the first creates the schema. There has been no release: the first change
// after one is the second step.
std::span<const Migration> migrations();

// Applies the steps that the database lacks, in one transaction. Views are dropped first, since ALTER TABLE refuses
// to work under views that it breaks, and foreign keys are off, so that a step may replace a table. Throws Error,
// with nothing changed, for a database of a newer version, of another program or of the newest version with other
// tables, and where a step leaves a row that refers to none.
void migrate(Database& database, std::span<const Migration> steps);

// Throws Error unless the database is a tailwave database of exactly the newest of `steps`, with its tables.
void require_version(Database& database, std::span<const Migration> steps);

// Makes the views of harness/store/views what this program has; other views stay. Writes only what differs.
void refresh_views(Database& database);

// The same for a connection that only reads a database whose views are those of another program: they are laid over
// the stored ones, for this connection alone.
void overlay_views(Database& database);

}  // namespace tailwave
