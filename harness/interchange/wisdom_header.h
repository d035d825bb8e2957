#pragma once

#include <string>

#include "interchange/wisdom.h"

namespace tailwave {

// A C++17 header without dependencies that looks a configuration up, as docs/interchange.md describes.
std::string wisdom_header(const Wisdom& wisdom);

}  // namespace tailwave
