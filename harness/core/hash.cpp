#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace tailwave {

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * sizeof canonical.digest);
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

FieldHasher& FieldHasher::add(std::string_view field) {
  text_ += std::to_string(field.size());
  text_ += ':';
  text_ += field;
  return *this;
}

}  // namespace tailwave
