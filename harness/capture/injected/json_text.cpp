#include "capture/injected/json_text.h"

namespace tailwave::injected {

std::string json_text(std::string_view text) {
  std::string all = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') all += '\\';
    all += letter < ' ' || letter > '~' ? '?' : letter;
  }
  return all + '"';
}

std::string list_of(const std::array<unsigned, 3>& extents) {
  return "[" + std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " +
         std::to_string(extents[2]) + "]";
}

std::string digits_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kBase = 16;
  std::string digits;
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    digits += kDigits[byte / kBase];
    digits += kDigits[byte % kBase];
  }
  return digits;
}

}  // namespace tailwave::injected
