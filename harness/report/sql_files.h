#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tailwave {

// The .sql files of analysis/<folder> by their names without .sql: those that this program was built with and, where
// `project` has one of another name, that too. So a new file is found without a new build.
std::map<std::string, std::string> sql_files(const std::string& folder,
                                             const std::filesystem::path& project = {});

// Of the comment lines that such a file begins with: what stands behind "-- NAME: ", and lines that begin with three
// spaces behind it, which go on with it; "" where there is none.
std::string header_field(std::string_view sql, std::string_view name);

// Throws Error (bad usage) that names analysis/FOLDER/ID.sql.
[[noreturn]] void refuse_sql_file(std::string_view folder, const std::string& id, const std::string& cause,
                                  const std::string& hint = "");

template <class Record>
using HeaderField = std::pair<std::string_view, std::string Record::*>;

// Reads the fields of a file's header into what the file describes; all but `optional` have to be there. `hint`: how such
// a file begins. Throws as refuse_sql_file() does.
template <class Record, std::size_t kCount>
void read_header(Record& record, const std::array<HeaderField<Record>, kCount>& fields,
                 std::string Record::*optional, std::string_view folder, const std::string& hint) {
  for (const auto& [name, member] : fields) {
    record.*member = header_field(record.sql, name);
    if ((record.*member).empty() && member != optional)
      refuse_sql_file(folder, record.id, "the field '" + std::string(name) + "' is missing", hint);
  }
}

// The text of one file of analysis/, "charts/block_size.vl.json", from the same places; "" where there is none.
std::string analysis_file(const std::string& path, const std::filesystem::path& project = {});

}  // namespace tailwave
