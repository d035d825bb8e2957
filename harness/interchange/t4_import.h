#pragma once

#include <string>

#include "interchange/tuner_results.h"
#include "json/json.h"

namespace tailwave {

// T4, the results format of the autotuning community. Throws Error (bad usage) that names file, JSON pointer and cause.
TunerResults read_t4(const Json& document, const std::string& file);

}  // namespace tailwave
