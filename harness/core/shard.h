#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tailwave {

// One of `count` parts of an experiment's configurations, which several commands measure, each on a machine or a
// device of its own. The parts have no configuration in common, and together all of them.
struct Shard {
  static constexpr std::size_t kMost = 10'000;

  std::size_t number = 1;  // 1 .. count
  std::size_t count = 1;

  [[nodiscard]] bool is_whole() const { return count == 1; }
  // Whether a configuration belongs to it, by its name: shard 1 + h mod count, h the first 64 bits of the name's
  // content_hash(). The same on every machine and in every version.
  [[nodiscard]] bool has(std::string_view configuration) const;
};

// "2/6"; "" for the whole.
std::string to_string(const Shard& shard);

// "2/6" -> {2, 6}; none for anything else.
std::optional<Shard> shard_from(std::string_view text);

}  // namespace tailwave
