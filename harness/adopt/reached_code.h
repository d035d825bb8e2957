#pragma once

#include <set>
#include <string>

#include "adopt/kernel_text.h"

namespace tailwave {

// All words of a kernel's code and head, of the functions and macros of the source that it names, of those that these name, and
// so on.
std::set<std::string> reached_words(const std::string& source, const KernelText& kernel);

}  // namespace tailwave
