#pragma once

#include <string>

#include "adopt/draft.h"

namespace tailwave {

// A reference.cpp with a function that takes all buffers, then all quantities, and does not compile before somebody has written it.
std::string host_stub(const Draft& draft);

}  // namespace tailwave
