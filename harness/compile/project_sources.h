#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/stat_cache.h"

namespace tailwave {

// The files inside `folder` that `source` includes, directly or not, each once, sorted. `#include "x"` is
// looked up beside the including file, then beside the source, then in `folder`; `#include <x>` in the latter two. One
// that is in no such place belongs to a toolkit and is left out. Conditions are not evaluated, so a file under a false
// #if counts too. Throws Error (bad usage) for a file outside the folder, for a name that is a macro and for other
// directives that read files (include_scan.h): none could be part of a content key.
std::vector<std::filesystem::path> project_headers(const std::filesystem::path& source,
                                                   const std::filesystem::path& folder);

// Whether a file is the folder or below it; both whole, without links.
bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder);

// Digests for a compiler's key: of the content of a source and of its project_headers with their names. No file is read
// again while the file system shows that none has changed and that no include leads elsewhere. Safe to call from
// several threads at once.
class SourceDigests {
 public:
  explicit SourceDigests(std::chrono::nanoseconds settled_after = StatCache::kSettledAfter)
      : settled_after_(settled_after) {}

  // Throws as project_headers().
  std::string of(const std::filesystem::path& source, const std::filesystem::path& folder);
  [[nodiscard]] std::size_t made() const { return made_; }  // from the files

 private:
  struct Known {
    StatCache stats;
    std::string digest;
  };

  std::chrono::nanoseconds settled_after_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::optional<Known>> known_;
  std::size_t made_ = 0;
};

}  // namespace tailwave
