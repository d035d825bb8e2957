#include "core/base64.h"

#include <algorithm>
#include <cstdint>

namespace tailwave {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kBytes = 3, kDigitsOfThem = 4;
  std::string text;
  text.reserve((bytes.size() + kBytes - 1) / kBytes * kDigitsOfThem);
  for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
    const std::size_t there = std::min(kBytes, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < kBytes; ++i)
      word = word << 8U | (i < there ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < kDigitsOfThem; ++i)
      text += i <= there ? kDigits[word >> (18U - 6U * i) & 63U] : '=';
  }
  return text;
}

}  // namespace tailwave
