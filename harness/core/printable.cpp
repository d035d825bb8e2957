#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tailwave {
namespace {

struct CodePoint {
  std::size_t bytes = 1;
  std::uint32_t value = 0;
  bool valid = false;
};

// The first one of a text that is not empty (RFC 3629: no surrogates, nothing longer than need be, up to U+10FFFF).
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  const bool too_long = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  if (surrogate || too_long || value > 0x10FFFF) return {};
  return {bytes, value, true};
}

bool is_ascii_control(std::uint32_t value) {
  return value < 0x20 || value == 0x7F;
}

bool steers_text(std::uint32_t value) {
  return (value >= 0x80 && value <= 0x9F) || value == 0x061C || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, LineEnds line_ends) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const CodePoint point = first_code_point(rest);
    const bool is_space = rest[0] == '\n' || rest[0] == '\t' || rest.starts_with("\r\n");
    if (is_space)
      shown += line_ends == LineEnds::as_spaces ? ' ' : rest[0] == '\r' ? '\n' : rest[0];
    else if (!point.valid || is_ascii_control(point.value))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[0]));
    else if (steers_text(point.value))
      shown += fmt::format("\\u{:04x}", point.value);
    else
      shown += rest.substr(0, point.bytes);
    at += rest.starts_with("\r\n") ? 2 : point.bytes;
  }
  return shown;
}

std::string replace_characters(std::string_view text, std::initializer_list<Replacement> replacements) {
  std::string replaced;
  for (const char c : text) {
    const auto* const found = std::find_if(replacements.begin(), replacements.end(),
                                           [c](const Replacement& one) { return one.character == c; });
    if (found == replacements.end())
      replaced += c;
    else
      replaced += found->by;
  }
  return replaced;
}

std::string printable_json(std::string_view json) {
  std::string shown;
  shown.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const CodePoint point = first_code_point(json.substr(at));
    const bool layout = json[at] == '\n' || json[at] == '\t';
    if (point.valid && !layout && (is_ascii_control(point.value) || steers_text(point.value)))
      shown += fmt::format("\\u{:04x}", point.value);
    else
      shown += json.substr(at, point.bytes);
    at += point.bytes;
  }
  return shown;
}

}  // namespace tailwave
