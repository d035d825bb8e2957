#pragma once

#include <cstdint>
#include <filesystem>

namespace tailwave {

// For a draw of random inputs that nobody can guess: a random number, 0 to 2^62 and even.
std::uint64_t random_draw();

// Which draw of its random inputs this machine verifies with: such a number that `folder` keeps.
// Nobody who writes a kernel can know the inputs then, and what references made of them can be kept. It is made where
// there is none, or none that makes sense; where it cannot be kept it is another one each time.
std::uint64_t kept_draw(const std::filesystem::path& folder);

}  // namespace tailwave
