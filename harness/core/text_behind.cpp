#include "core/text_behind.h"

#include <algorithm>

namespace tailwave {

std::optional<std::string_view> text_behind(std::string_view text, std::string_view word,
                                            std::string_view blanks, std::size_t fewest) {
  const std::size_t blank = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(blank);
  if (blank < fewest || !text.starts_with(word)) return std::nullopt;
  return text.substr(word.size());
}

}  // namespace tailwave
