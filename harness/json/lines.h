#pragma once

#include <string_view>

namespace tailwave {

// The line, from 1 on, of what the pointer (RFC 6901) names in `text`, which is JSON: where the member's key stands, or
// the item begins. Of what is not there the line of the nearest value around it. Of two members with one key the last
// one counts.
int line_of(std::string_view text, std::string_view pointer);

}  // namespace tailwave
