#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tailwave {

// 128-bit XXH3 of the bytes as 32 hex digits. For identity and caching, not for security.
std::string content_hash(std::string_view bytes);

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

}  // namespace tailwave
