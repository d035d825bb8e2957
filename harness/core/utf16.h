#pragma once

#include <string_view>

namespace tailwave {

// Whether a text begins as editors of Windows have UTF-16 begin. All texts that are read are UTF-8.
inline bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}
inline constexpr const char* kUtf16Cause = "it is UTF-16 text, and has to be UTF-8";
inline constexpr const char* kUtf16Hint = "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8";

}  // namespace tailwave
