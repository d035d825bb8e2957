#include "core/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace tailwave {

void for_parts_of(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kFewest = std::size_t{1} << 18;  // worth starting a thread for
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / kFewest, 1, most);
  if (parts == 1) return work(0, count);
  std::vector<std::exception_ptr> thrown(parts);
  const auto do_part = [&](std::size_t i) {
    try {
      work(count / parts * i, i + 1 == parts ? count : count / parts * (i + 1));
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  std::size_t started = 1;
  try {
    for (; started < parts; ++started) threads.emplace_back(do_part, started);
  } catch (const std::system_error&) {
    for (std::size_t i = started; i < parts; ++i) do_part(i);  // the system has no more threads
  }
  do_part(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace tailwave
