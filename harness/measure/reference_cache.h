#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "device/blob.h"

namespace tailwave {

// Buffers by name.
using BufferContents = std::map<std::string, Blob>;

// What references made, on disk, one file a key: <folder>/<first two digits>/<key>. A file is written under another
// name and renamed, so that a killed process or two at once leave only whole ones. Contents are kept with their
// hashes: a damaged file counts as absent and is replaced. When something is kept, the files that were used longest
// ago go until the rest is within the limit; a file's time of modification is that of its last use.
class ReferenceCache {
 public:
  struct Limits {
    std::size_t result_bytes = std::size_t{2} << 30;  // a larger result is not kept
    std::size_t total_bytes = std::size_t{6} << 30;   // of all files
  };

  ReferenceCache() = default;  // keeps nothing
  // The folder is made when something is kept.
  explicit ReferenceCache(std::filesystem::path folder) : ReferenceCache(std::move(folder), Limits()) {}
  ReferenceCache(std::filesystem::path folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  // The same folder, but nothing is found in it: what is kept replaces what is there.
  [[nodiscard]] ReferenceCache finding_nothing() const;

  [[nodiscard]] bool keeps_any() const { return !folder_.empty(); }
  [[nodiscard]] std::optional<BufferContents> find(const std::string& key) const;
  // What cannot be written is not kept.
  void keep(const std::string& key, const BufferContents& contents) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;
  void remove_oldest(const std::filesystem::path& latest) const;

  std::filesystem::path folder_;
  Limits limits_;
  bool finds_ = true;
};

}  // namespace tailwave
