#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/members.h"
#include "core/value.h"

namespace tailwave {

// 128-bit XXH3 of the bytes as 32 hex digits. For identity and caching, not for security.
std::string content_hash(std::string_view bytes);
// The same of what a file holds, which may be larger than the memory; of nothing where it cannot be read.
std::string hash_of_file(const std::filesystem::path& file);

// Hashes fields so that ("ab", "c") and ("a", "bc") differ.
class FieldHasher {
 public:
  FieldHasher& add(std::string_view field);
  // Makes copies cheap; changes no digest.
  FieldHasher& condense();
  [[nodiscard]] std::string digest() const;

 private:
  struct State;
  std::shared_ptr<const State> before_;  // of what was added before text_; null: nothing
  std::string text_;
};

// All members of a record that are part of a key.
template <Record R>
void add_members(FieldHasher& hasher, const R& record) {
  for_each_member<R, kNotKey>([&](const auto& one) {
    const auto& field = record.*one.place;
    using Type = std::remove_cvref_t<decltype(field)>;
    if constexpr (Record<Type>) {
      add_members(hasher, field);
    } else if constexpr (std::is_enum_v<Type>) {
      hasher.add(to_string(field));
    } else if constexpr (std::is_integral_v<Type>) {
      hasher.add(std::to_string(field));
    } else if constexpr (std::is_same_v<Type, std::optional<double>>) {
      hasher.add(field ? to_string(Value{*field}) : "");
    } else {
      hasher.add(to_string(Value{field}));
    }
  });
}

}  // namespace tailwave
