#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Buffers of a launch's pointers, without their counts.
void bind_buffers(Draft& draft, DraftLaunch& launch);
// The whole argument list. What has a type that the manifest has no word for, or that takes more than its type to describe, is
// named in Draft::by_hand.
void write_arguments(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
