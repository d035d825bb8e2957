#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

namespace tailwave {

// CLOCK_MONOTONIC in nanoseconds, from the operating system itself: a template runs in this process, and may have
// patched what the libraries have for that.
inline std::int64_t kernel_clock_ns() {
  timespec now{};
#if defined(__x86_64__)
  std::int64_t result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(std::int64_t{SYS_clock_gettime}), "D"(std::int64_t{CLOCK_MONOTONIC}), "S"(&now)
               : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register std::int64_t number asm("x8") = SYS_clock_gettime;
  register std::int64_t clock asm("x0") = CLOCK_MONOTONIC;
  register timespec* const place asm("x1") = &now;
  asm volatile("svc 0" : "+r"(clock) : "r"(number), "r"(place) : "memory");
#else
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
#endif
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace tailwave
