#pragma once

#include "spec/system.h"
#include "spec/t1/file.h"

namespace tailwave {

// KTT's ReferenceArguments: what vectors have to hold after the kernel, as stored results, and how closely. Needs the
// system with its buffers, its variant and what is compared. As in KTT, what is compared then are their targets; results
// of its method SideBySideRelativeComparison may differ by 1e-4 besides (`close`). Nothing is changed where the file
// beside the T1 file says what is right; nor where one of them cannot be read, of which a warning says why, and what to
// write beside.
void read_t1_references(const T1File& file, System& system);

}  // namespace tailwave
