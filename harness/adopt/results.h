#pragma once

#include <filesystem>

#include "adopt/draft.h"

namespace tailwave {

// Throws Error (bad usage) where no buffer is compared, with what stands in the way. Where something is left to a person it is
// the first one that a kernel may write to.
void require_results(Draft& draft, const std::filesystem::path& source);

}  // namespace tailwave
