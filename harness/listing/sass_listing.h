#pragma once

#include <string_view>
#include <vector>

#include "listing/listing.h"

namespace tailwave {

// The functions of a disassembly by `nvdisasm -c` or `cuobjdump -sass`, which is told by its words; `kernel` is the
// symbol. Left out are addresses, encodings, line information, `.reuse` (a hint for the register cache), and what stands
// behind the end for padding. The name of the function itself is `kernel` in its code.
std::vector<KernelListing> sass_listings(std::string_view disassembly);

}  // namespace tailwave
