#pragma once

#include "spec/reporter.h"

namespace tailwave {

// Keys that T1's drafts had ("kernelSpecification", "constraints", "blockSize"), each with the one that it became. A file
// has some where it was written before T1 1.0. Reported once for each kind of place, as an error where the key has
// something in it, else as a warning, since what it says would be lost.
void report_old_t1_keys(const Json& root, Reporter& errors, Reporter& warnings);

// Whether the file's own keys are those of T1 or one of its drafts.
bool has_t1_keys(const Json& root);

}  // namespace tailwave
