#pragma once

#include <string>

namespace tailwave {

// What to write in place of a kernel's name that a compiler did not find, by what a source has: "write 'ns::scale'", "it has
// scale, reduce<...>"; empty where it has none.
std::string hint_for_kernel(const std::string& kernel, const std::string& source);

}  // namespace tailwave
