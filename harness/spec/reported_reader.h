#pragma once

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// The manifest's `metrics`: the numbers that programs of the user's own may report beside their time. Reads them into
// System::reported, before the variants.
void read_reported(const Json& metrics, System& system, Reporter& reporter);

// Once all else of the manifest is read: what cannot be meant.
void check_reported(const Json& metrics, const System& system, Reporter& reporter);

}  // namespace tailwave
