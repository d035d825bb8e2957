#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "measure/contents_cache.h"

namespace tailwave {

// What references made, on disk, one file a key: <folder>/<first two digits>/<key>. A file is written under another name and
// renamed, so that a killed process or two at once leave only whole ones. Contents are kept with their hashes: a
// damaged file counts as absent and is replaced.
class ReferenceCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of one result; a larger one is not kept

  ReferenceCache() = default;  // keeps nothing
  // The folder is made when something is kept.
  explicit ReferenceCache(std::filesystem::path folder, std::size_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  [[nodiscard]] bool keeps_any() const { return !folder_.empty(); }
  [[nodiscard]] std::optional<BufferContents> find(const std::string& key) const;
  // What cannot be written is not kept.
  void keep(const std::string& key, const BufferContents& contents) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::size_t most_bytes_ = kMostBytes;
};

}  // namespace tailwave
