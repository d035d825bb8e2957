#pragma once

#include <cstddef>
#include <functional>

namespace tailwave {

// Threads that this machine runs at once; 1 where it does not say.
unsigned hardware_threads();

// Calls work(begin, end) for parts that together are 0 to count, on as many cores as that is worth, where each of them is as
// much as `each` looks at a number; returns when all have ended, so that no thread is left. Throws what the part with the
// lowest numbers threw.
void for_parts_of(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work,
                  std::size_t each = 1);

// Calls work(0) to work(count - 1), several at once; likewise.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace tailwave
