#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "spec/system.h"

namespace tailwave {

// CUDA threads of one configuration that may live at once, those of the largest launch in each of its streams:
// ThreadSanitizer ends a program of twice as many. A block has a thread of the operating system besides.
inline constexpr std::int64_t kMostRaceThreads = 4096;
inline constexpr std::int64_t kMostRaceBlocks = kMostRaceThreads / 2;

// CUDA threads of all launches together, after which the rest of a plan is left out.
inline constexpr std::int64_t kMostRacedThreads = 200'000;

struct RacePlan {
  std::filesystem::path file;
  std::size_t launches = 0, left_out = 0;
};

// Writes a configuration's buffers with their inputs, and its launches, into a folder, as runner.cc reads them. A loop
// that may end on a value goes round as often as it may. Throws Failure(launch_failed), Failure(exceeds_device_limit),
// also for more at once than that, and Error for a file that cannot be written.
// `made` gives what a function of the host fills a buffer with.
using MadeBuffer = std::function<std::vector<std::byte>(const std::string& buffer)>;
RacePlan write_plan(const std::filesystem::path& folder, const System& system, const VariantSpec& variant,
                    const Configuration& configuration, const MadeBuffer& made);

}  // namespace tailwave
