#pragma once

#include "adopt/draft.h"

namespace tailwave {

// What the parameters of the kernel's template are: types and truth values as the host's launch has them, numbers as
// parameters of the variant.
void bind_templates(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
