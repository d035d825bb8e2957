#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tailwave::injected {

// A text as JSON has it. What is no printable ASCII becomes a `?`: names of kernels have nothing else.
std::string json_text(std::string_view text);
std::string list_of(const std::array<unsigned, 3>& extents);  // "[1, 2, 3]"
std::string digits_of(std::string_view bytes);                // two hexadecimal ones each

}  // namespace tailwave::injected
