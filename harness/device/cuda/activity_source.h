#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "device/counters.h"
#include "device/cuda/context.h"

namespace tailwave {

// Records what the GPU with this number does, whose context it is, and counts nothing, by the first of the libraries that can
// be loaded: unlike open_counters() it takes nothing that only one program can have of a GPU, nor rights to count. It
// records once for nothing, so that this process may confine itself afterwards. Throws Failure(unavailable) with the text of
// describe_obstacle(), and what record_activities() does.
std::unique_ptr<CounterSource> open_recording(std::shared_ptr<Context> context, int ordinal,
                                              const std::vector<std::filesystem::path>& libraries);

}  // namespace tailwave
