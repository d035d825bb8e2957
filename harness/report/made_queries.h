#pragma once

#include <filesystem>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "report/queries.h"
#include "store/database.h"

namespace tailwave {

// The named queries that have no SQL of their own, but a function that makes their rows.
std::vector<NamedQuery> list_made_queries(const std::filesystem::path& project);

// The rows of one of them.
Table run_made_query(Database& database, const NamedQuery& query, const Values& parameters);

}  // namespace tailwave
