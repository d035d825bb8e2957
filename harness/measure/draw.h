#pragma once

#include <cstdint>
#include <filesystem>

namespace tailwave {

// Which draw of its random inputs this machine verifies with: a random number, 0 to 2^62 and even, that `folder` keeps.
// Nobody who writes a kernel can know the inputs then, and what references made of them can be kept. It is made where
// there is none, or none that makes sense; where it cannot be kept it is another one each time.
std::uint64_t kept_draw(const std::filesystem::path& folder);

}  // namespace tailwave
