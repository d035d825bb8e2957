#pragma once

#include <cstddef>

// The parts of AddressSanitizer's interface that executors of fibers and owners of guard zones call. They do
// nothing in a build without it.

#ifdef TAILWAVE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tailwave::sanitizer {

#ifdef TAILWAVE_ADDRESS_SANITIZER
inline constexpr bool kActive = true;
#else
inline constexpr bool kActive = false;
#endif

// Makes every access to the bytes an error, and lifts that.
inline void poison([[maybe_unused]] const volatile void* begin, [[maybe_unused]] std::size_t size) {
#ifdef TAILWAVE_ADDRESS_SANITIZER
  __asan_poison_memory_region(begin, size);
#endif
}
inline void unpoison([[maybe_unused]] const volatile void* begin, [[maybe_unused]] std::size_t size) {
#ifdef TAILWAVE_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(begin, size);
#endif
}

// Around a switch of stacks: the first before it, with a place for the state of the stack that is left (null when it
// is left for good); the second after it on the other stack, with the state that was kept when that was left.
inline void start_switch([[maybe_unused]] void** left, [[maybe_unused]] const void* bottom,
                         [[maybe_unused]] std::size_t size) {
#ifdef TAILWAVE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(left, bottom, size);
#endif
}
inline void finish_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** left_bottom,
                          [[maybe_unused]] std::size_t* left_size) {
#ifdef TAILWAVE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(kept, left_bottom, left_size);
#endif
}

}  // namespace tailwave::sanitizer
