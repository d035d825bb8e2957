#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace tailwave {

// All that the stream has, or its beginning of more than `most_bytes`: a device or a pipe may have no end.
std::string read_at_most(std::istream& stream, std::size_t most_bytes);

}  // namespace tailwave
