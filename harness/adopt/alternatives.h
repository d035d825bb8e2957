#pragma once

#include <vector>

#include "adopt/draft.h"

namespace tailwave {

// Whether kernels take the same: as many parameters of the same types, and templates with as many.
bool have_one_signature(const std::vector<KernelText>& kernels);

// Whether launches of the host's code compute the same rather than one after the other: different kernels of one signature get
// the same arguments, and none reads what another has written, other than to add to it.
bool are_alternatives(Draft& draft);

// What the first one's parameters are is what those of another one are.
void name_as_first(const DraftLaunch& first, DraftLaunch& other);

}  // namespace tailwave
