#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

struct Range {
  std::uint32_t first, last;
};

// What joins the letter before it: combining marks, joiners, variation selectors.
constexpr std::array<Range, 9> kJoining{{{0x300, 0x36F},
                                         {0x591, 0x5BD},
                                         {0x64B, 0x65F},
                                         {0x1AB0, 0x1AFF},
                                         {0x1DC0, 0x1DFF},
                                         {0x200B, 0x200D},
                                         {0x20D0, 0x20FF},
                                         {0xFE00, 0xFE0F},
                                         {0xFE20, 0xFE2F}}};
// East Asian wide and full-width ones (UAX #11), and emoji.
constexpr std::array<Range, 13> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xA000, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};

std::size_t columns_taken(std::uint32_t value) {
  const auto has_it = [&](const Range& one) { return value >= one.first && value <= one.last; };
  if (std::ranges::any_of(kJoining, has_it)) return 0;
  return std::ranges::any_of(kWide, has_it) ? 2 : 1;
}

}  // namespace

std::size_t bytes_of_columns(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    const std::size_t taken = columns_taken(point.value);
    if (taken > columns) break;
    columns -= taken;
    bytes += point.bytes;
  }
  return bytes;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    columns += columns_taken(point.value);
    at += point.bytes;
  }
  return columns;
}

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
