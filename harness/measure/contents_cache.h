#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tailwave {

// The host's copy of a system's buffers, by name.
using BufferContents = std::map<std::string, std::vector<std::byte>>;

// Contents that take long to make, by a key that says all that they depend on. Those not asked for longest go when all
// together have more bytes than `most_bytes`.
class ContentsCache {
 public:
  explicit ContentsCache(std::size_t most_bytes = std::size_t{1} << 30) : most_bytes_(most_bytes) {}

  // What `make` throws leaves the cache as it was.
  template <class Make>
  std::shared_ptr<const BufferContents> get(const std::string& key, Make make) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->key != key) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->contents;
    }
    Entry made{key, std::make_shared<const BufferContents>(make()), 0};
    for (const auto& [name, bytes] : *made.contents) made.size_bytes += bytes.size();
    entries_.push_front(std::move(made));
    size_bytes_ += entries_.front().size_bytes;
    while (size_bytes_ > most_bytes_ && entries_.size() > 1) {
      size_bytes_ -= entries_.back().size_bytes;
      entries_.pop_back();
    }
    return entries_.front().contents;
  }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const BufferContents> contents;
    std::size_t size_bytes;
  };
  std::list<Entry> entries_;  // the one asked for last is the first
  std::size_t most_bytes_, size_bytes_ = 0;
};

}  // namespace tailwave
