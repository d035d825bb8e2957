#pragma once

#include <string>
#include <string_view>

#include "spec/system.h"

namespace tailwave {

// A spec may come from a stranger, and compilers have options that read and write any file, and load code. What they
// do to the code that is made of a source is allowed, by name; the rest is not.
//
// Why a variant may not have this option, with "{}" where a value comes; empty: it may.
std::string why_not_an_option(std::string_view option, VariantSpec::Target target);

inline constexpr const char* kAllowsAnyOption =
    "--unsafe-options allows any: some read and write files anywhere, or load code into the compiler";

// From now on any option is allowed, in this process and those that it starts: the user has said so.
void allow_any_option();

}  // namespace tailwave
