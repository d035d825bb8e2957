#include "core/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

#include "core/hash.h"

namespace tailwave {
namespace {

// A whole number from 1 to Shard::kMost.
std::optional<std::size_t> number_of(std::string_view digits) {
  std::size_t number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (error != std::errc() || end != last || number == 0 || number > Shard::kMost) return std::nullopt;
  return number;
}

}  // namespace

bool Shard::has(std::string_view configuration) const {
  if (is_whole()) return true;
  constexpr std::size_t kDigits = 16;  // of 4 bits each
  constexpr int kBase = 16;
  const std::string digits = content_hash(configuration);
  std::uint64_t hash = 0;
  std::from_chars(digits.data(), digits.data() + kDigits, hash, kBase);
  return 1 + hash % count == number;
}

std::string to_string(const Shard& shard) {
  return shard.is_whole() ? "" : fmt::format("{}/{}", shard.number, shard.count);
}

std::optional<Shard> shard_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = number_of(text.substr(0, slash));
  const auto count = number_of(text.substr(slash + 1));
  if (!number || !count || *number > *count) return std::nullopt;
  return Shard{*number, *count};
}

}  // namespace tailwave
