#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace tailwave {

// The .sql files of analysis/<folder> by their names without .sql: those that this program was built with and, where
// `project` has one of another name, that too. So a new file is found without a new build.
std::map<std::string, std::string> sql_files(const std::string& folder,
                                             const std::filesystem::path& project = {});

// Of the comment lines that such a file begins with: what stands behind "-- NAME: ", and lines that begin with three
// spaces behind it, which go on with it; "" where there is none.
std::string header_field(std::string_view sql, std::string_view name);

// The text of one file of analysis/, "charts/block_size.vl.json", from the same places; "" where there is none.
std::string analysis_file(const std::string& path, const std::filesystem::path& project = {});

}  // namespace tailwave
