#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <fstream>
#include <utility>
#include <vector>

#include "core/hex_digits.h"

namespace tailwave {
namespace {

std::string digits_of(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return hex_digits({reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest});
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  return digits_of(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string hash_of_file(const std::filesystem::path& file) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  std::vector<char> part(kPart);
  std::ifstream stream(file, std::ios::binary);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  while (stream.read(part.data(), kPart) || stream.gcount() > 0)
    XXH3_128bits_update(&state, part.data(), static_cast<std::size_t>(stream.gcount()));
  return digits_of(XXH3_128bits_digest(&state));
}

struct FieldHasher::State {
  XXH3_state_t state;
};

FieldHasher& FieldHasher::add(std::string_view field) {
  text_ += std::to_string(field.size());
  text_ += ':';
  text_ += field;
  return *this;
}

FieldHasher& FieldHasher::condense() {
  auto state = before_ ? std::make_shared<State>(*before_) : std::make_shared<State>();
  if (!before_) XXH3_128bits_reset(&state->state);
  XXH3_128bits_update(&state->state, text_.data(), text_.size());
  before_ = std::move(state);
  text_.clear();
  return *this;
}

std::string FieldHasher::digest() const {
  if (!before_) return content_hash(text_);
  State whole = *before_;
  XXH3_128bits_update(&whole.state, text_.data(), text_.size());
  return digits_of(XXH3_128bits_digest(&whole.state));
}

}  // namespace tailwave
