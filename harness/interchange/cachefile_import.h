#pragma once

#include <string>

#include "interchange/tuner_results.h"
#include "json/json.h"

namespace tailwave {

// The JSON that Kernel Tuner appends to while it tunes. Throws Error (bad usage) that names file, JSON pointer and
// cause.
TunerResults read_cachefile(const Json& document, const std::string& file);

}  // namespace tailwave
