#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace tailwave {

unsigned hardware_threads() {
  return std::max(1U, std::thread::hardware_concurrency());
}

void for_each_at_once(std::size_t count, const std::function<void(std::size_t index)>& work) {
  const std::size_t parts = std::min<std::size_t>(count, hardware_threads());
  if (parts <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<std::size_t> next{0};
  const auto take_part = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < parts; ++i) threads.emplace_back(take_part);
  } catch (const std::system_error&) {
    // Fewer do it all.
  }
  take_part();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

void for_parts_of(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work,
                  std::size_t each) {
  constexpr std::size_t kFewest = std::size_t{1} << 18;  // worth starting a thread for
  const std::size_t most = std::clamp<std::size_t>(count, 1, hardware_threads());
  const std::size_t parts = std::clamp<std::size_t>(count * each / kFewest, 1, most);
  for_each_at_once(parts, [&](std::size_t i) { work(count * i / parts, count * (i + 1) / parts); });
}

}  // namespace tailwave
