#pragma once

#include <string>

#include "interchange/recorded_json.h"
#include "interchange/tuner_results.h"

namespace tailwave {

// A cachefile of Kernel Tuner. The document must outlive the call only. Throws Error (bad usage) that names the file, the JSON pointer and the cause.
TunerResults read_cachefile(const RecordedJson& document, const std::string& file);

}  // namespace tailwave
