#pragma once

#include <optional>
#include <string>

#include "spec/system.h"

namespace tailwave {

// The system of this name in the project of the working folder; none where there is no project, or none without a mistake
// in its manifest, which check names.
std::optional<System> system_of_project(const std::string& name);

}  // namespace tailwave
