#pragma once

#include <string>

#include "interchange/recorded_json.h"
#include "interchange/tuner_results.h"

namespace tailwave {

// A T4 file. The document must outlive the call only. Throws Error (bad usage) that names the file, the JSON pointer and the cause.
TunerResults read_t4(const RecordedJson& document, const std::string& file);

}  // namespace tailwave
