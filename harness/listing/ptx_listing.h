#pragma once

#include <string_view>
#include <vector>

#include "listing/listing.h"

namespace tailwave {

// The functions of a PTX module that have a body; `kernel` is the symbol. A statement is a line. Left out are remarks,
// line information, and what the module declares outside of functions; the name of the function itself is `kernel` in
// its code, and hashes in names that a compiler makes of files are 0. Throws Failure(compile_error) for text that ends inside a
// function.
std::vector<KernelListing> ptx_listings(std::string_view ptx);

}  // namespace tailwave
