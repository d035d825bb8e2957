#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tailwave {

// What follows `word` where the text begins with that, behind `fewest` of `blanks` at least; none: it begins otherwise.
std::optional<std::string_view> text_behind(std::string_view text, std::string_view word,
                                            std::string_view blanks = " \t", std::size_t fewest = 0);

}  // namespace tailwave
