#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tailwave {

// What a path leads to: nothing (no inode), or a file as its file system describes it. Of a folder only which one.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::uint32_t links = 0;
  std::chrono::nanoseconds modified{}, changed{};  // since 1970
  bool operator==(const FileState&) const = default;
};

// What stat() said of paths when they were followed, so that what was found there need not be read again while nothing
// has changed.
class StatCache {
 public:
  // A file that changes twice within a tick of its file system's clock shows that once: what changed less than
  // `settled_after` before it was seen is not to be relied on. The coarsest ticks are those of FAT.
  static constexpr std::chrono::nanoseconds kSettledAfter = std::chrono::seconds(2);
  explicit StatCache(std::chrono::nanoseconds settled_after = kSettledAfter)
      : settled_after_(settled_after) {}

  // To be called before the path is followed. The first look at a path counts.
  void add(const std::filesystem::path& path);
  // Whether still_hold() will tell of every change from these looks on.
  [[nodiscard]] bool show_any_change() const;
  // Every path leads to what it led to.
  [[nodiscard]] bool still_hold() const;

 private:
  struct Entry {
    std::optional<FileState> state;  // nothing: it cannot be told
    bool settled = false;
  };

  std::chrono::nanoseconds settled_after_;
  std::map<std::string, Entry> seen_;
};

}  // namespace tailwave
