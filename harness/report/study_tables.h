#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"

namespace tailwave {

// A table of a study's text, beside ours, as a query: a file of analysis/studies. Its first comment lines say
//   -- table: what it is called
//   -- system: whose study
//   -- place: where the text has it
//   -- note: what has to be known of it; may be left out
// and its SQL, asked with :device, the name of a GPU that ran something of the system or NULL, gives the rows and columns
// that the text has, in its order, with the published values, ours as printed and what follows from them. It may use
// report/gpu_functions.h.
struct StudyTable {
  std::string id;  // the file's name, without .sql
  std::string title, system, place, note;
  std::string sql;
};

// Throws Error (bad usage), naming the file, where a field is missing.
StudyTable parse_study_table(const std::string& id, std::string_view text);

// As sql_files(), by system and id.
std::vector<StudyTable> list_study_tables(const std::filesystem::path& project = {});

// Those of one system as a page, for each GPU that ran something of it; without any, what was published alone. Throws
// Error (bad usage), naming the file, for SQL that is wrong.
std::string study_page(Database& database, const std::vector<StudyTable>& tables, const std::string& system);

}  // namespace tailwave
