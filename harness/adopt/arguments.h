#pragma once

#include "adopt/draft.h"

namespace tailwave {

// The scalars of a launch: from what the host's code passes where the source has a launch that can be read, else each is a
// quantity of the problem of its parameter's name. Fills DraftLaunch::known, and types and arguments of templates.
void bind_templates(Draft& draft, DraftLaunch& launch);
void bind_scalars(Draft& draft, DraftLaunch& launch);

// Buffers of a launch's pointers, without their counts; then the whole argument list. What has a type that the manifest has no
// word for is named in Draft::by_hand.
void bind_buffers(Draft& draft, DraftLaunch& launch);
void write_arguments(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
