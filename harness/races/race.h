#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// One of the two accesses of a race.
struct RaceAccess {
  std::string what;  // "read", "write", "atomic read", "atomic write"
  std::string
      file;  // as compilers print it (compile/prelude.h); empty: ThreadSanitizer could not restore the place
  int line = 0;
  int block = -1, thread = -1;  // numbers in linear order, the thread's in its block; -1: not known

  bool operator==(const RaceAccess&) const = default;
};

// Two accesses of the same memory that nothing orders, at least one of them a plain write.
struct Race {
  std::string memory;       // "shared memory", "buffer 'force'", "memory"
  std::int64_t offset = 0;  // bytes from its begin
  RaceAccess later, earlier;

  bool operator==(const Race&) const = default;
};

// An access of what lies before or behind a buffer.
struct StrayAccess {
  std::string buffer;
  std::int64_t bytes = 0;          // that it has
  std::int64_t offset = 0;         // from its begin, in bytes
  std::int64_t element_bytes = 1;  // a log does not say it
  RaceAccess access;

  [[nodiscard]] std::int64_t element() const;
  bool operator==(const StrayAccess&) const = default;
};

// What runner.cc has written down.
struct RaceLog {
  std::vector<Race> races;         // of each pair of places the first
  std::vector<StrayAccess> stray;  // of each place the first
  bool complete = false;           // it came to the end of the plan
  bool left_some_out = false;
  std::string shared_fibers;  // how many a block has for more threads; empty: one for each thread
  std::string failure;        // its own words for why not
};
RaceLog read_races(std::string_view text);

// "shared memory: read at a.cu:8 (block 0, thread 5) after write at a.cu:6 (block 0, thread 63)".
std::string to_string(const Race& race);
// "buffer 'x' of 64 elements: read of element 64 at a.cu:8 (block 0, thread 63)".
std::string to_string(const StrayAccess& stray);

}  // namespace tailwave
