#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "adopt/draft.h"

namespace tailwave {

// The experiment of a system of that name: all variants that are tuned, with the values to try, and smaller sizes for a CPU.
nlohmann::ordered_json adopted_experiment(const Draft& draft, const std::string& name);

}  // namespace tailwave
