#include "device/cpu/fiber_stack.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/outcome.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {
namespace {

// A thread's local arrays live here. Sanitized code needs several times as much.
constexpr std::size_t kStackBytes = sanitizer::kActive ? 512 << 10 : 128 << 10;

std::atomic<int> guarded_stacks{0};

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

std::size_t FiberStack::size() {
  return kStackBytes;
}

FiberStack::FiberStack() {
  void* memory = mmap(nullptr, kStackBytes + page_size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  guarded_ = ++guarded_stacks <= kMostGuarded;
  if (!guarded_) --guarded_stacks;
  if (memory == MAP_FAILED || (guarded_ && mprotect(memory, page_size(), PROT_NONE) != 0)) {
    const std::string cause = std::strerror(errno);
    if (guarded_) --guarded_stacks;
    if (memory != MAP_FAILED) munmap(memory, kStackBytes + page_size());
    throw Failure(Outcome::out_of_memory, fmt::format("no memory for the stack of a thread: {}", cause));
  }
  bottom_ = static_cast<std::byte*>(memory) + page_size();
}

FiberStack::~FiberStack() {
  sanitizer::unpoison(bottom_, kStackBytes);
  munmap(bottom_ - page_size(), kStackBytes + page_size());
  if (guarded_) --guarded_stacks;
}

}  // namespace tailwave
