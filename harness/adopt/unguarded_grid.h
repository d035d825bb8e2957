#pragma once

#include <cstddef>

#include "adopt/draft.h"

namespace tailwave {

// Blocks in a direction of a kernel that holds no index there below a limit: of whole blocks, over the size that its indices
// are made of, or over one that it has no name for. What is taken for granted is a guess of the draft; that there is no
// remainder, a condition.
Polynomial blocks_without_guard(Draft& draft, const DraftLaunch& launch, std::size_t direction);

}  // namespace tailwave
