#pragma once

#include "core/hash.h"
#include "spec/system.h"

namespace tailwave {

// For keys: all that a manifest says of these, as text. Results are stored under such keys, so what they add must
// stay as it is.

// Prepare, launches and finish.
void add_plan(FieldHasher& hasher, const VariantSpec& variant);
// One that is no variant.
void add_reference(FieldHasher& hasher, const ReferenceSpec& reference);
void add_buffers(FieldHasher& hasher, const System& system);

}  // namespace tailwave
