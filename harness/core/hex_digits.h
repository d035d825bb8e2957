#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tailwave {

// Two hexadecimal digits for each byte, in lower case.
std::string hex_digits(std::string_view bytes);

// The bytes that such digits, in upper or lower case, stand for; empty for anything else.
std::optional<std::string> bytes_of_hex(std::string_view digits);

}  // namespace tailwave
