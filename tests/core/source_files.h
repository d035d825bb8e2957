#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tailwave {

inline const std::filesystem::path kSourceRoot = TAILWAVE_SOURCE_DIR;

struct SourceFile {
  std::string path;  // relative to a base
  std::string text;
};

// All .h and .cpp files of a folder and its subfolders.
inline std::vector<SourceFile> sources_below(const std::filesystem::path& folder,
                                             const std::filesystem::path& base) {
  std::vector<SourceFile> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    sources.push_back({entry.path().lexically_relative(base).string(), text.str()});
  }
  return sources;
}

}  // namespace tailwave
