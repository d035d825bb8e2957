#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// A named query: a file of analysis/tables whose first comment lines say
//   -- title: what its rows are
//   -- parameters: :experiment, :limit (how many; 1)
// Every parameter may be left out, which means NULL. Two more lines may follow:
//   -- empty: why it has no rows, for people who get none
//   -- needs: SELECT 1 FROM trace WHERE ... LIMIT 1
// is a query of the same parameters: where it has no row, neither has the file's, which then is not run. For views
// that cannot be narrowed down to an experiment.
struct NamedQuery {
  std::string name;  // the file's, without .sql
  std::string title;
  std::string parameters;  // as written after "parameters:"
  std::string needs;       // empty: nothing
  std::string when_empty;  // as written after "empty:"
  std::string sql;
  bool ours_alone = false;  // has nothing of what other tuners recorded
  // Where the query named "claims" looks for more claims than the program's. Like others it has no SQL (report/made_queries.h).
  std::filesystem::path project;
};

// Reads the header comment of a query's text.
NamedQuery parse_query(const std::string& name, std::string_view text);

// The files of analysis/tables, as sql_files(), and those that have no SQL of their own; sorted by name.
std::vector<NamedQuery> list_queries(const std::filesystem::path& project = {});

// Throws Error (bad usage) for an unknown name, with a suggestion or the names there are.
NamedQuery find_query(const std::string& name, const std::filesystem::path& project = {});

// For a query without rows: throws Error (bad usage), with a suggestion, where :experiment ("name" or "system/name"),
// :system or another parameter that names something (:baseline, :configuration, :metric, ...) has a name that the
// database has nothing of, or that there cannot be.
void require_known_names(Database& database, const Values& parameters);

// "no rows: every configuration is correct", and in a second line which experiments and devices the database has (of
// :experiment and :system), unless it has the very experiment that was asked for, on that device: then, which experiments the
// query has rows of.
std::string why_no_rows(Database& database, const NamedQuery& query, const Values& parameters = {});

// Whether the query has this parameter, as the line of its parameters says.
bool takes(const NamedQuery& query, const std::string& parameter);

// Throws Error (bad usage) where a parameter that counts or compares is text.
void require_numbers(const Values& parameters);

// Database::query with the query's SQL, or for those that have none what makes their rows, claims_table() and others.
Table run_query(Database& database, const NamedQuery& query, const Values& parameters = {});

}  // namespace tailwave
