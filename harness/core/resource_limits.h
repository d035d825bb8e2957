#pragma once

#include <cstdint>

namespace tailwave {

// How much a process may take, and each that it starts; 0: as much as it could before.
struct ResourceLimits {
  std::uint64_t data_bytes = 0;  // of memory that is its own to write (RLIMIT_DATA)
  std::uint64_t file_bytes = 0;  // of one file, memory files among them (RLIMIT_FSIZE)
  // Processes and threads of this user, in all programs together (RLIMIT_NPROC); Linux does not ask it of root.
  std::uint64_t tasks = 0;
};

// Of this process, for good: it and what it starts can ask for less, and for more only as root. A limit that the system
// refuses, or under which no thread could be started now, is left as it was.
void limit_resources(const ResourceLimits& limits);

// Linux ends this process, and what it starts, before others when the machine has no memory left.
void be_ended_first();

// Processes and threads of this user that can be seen from here.
std::uint64_t tasks_of_this_user();

// Bytes that this machine has, swap among them, and those that Linux thinks it could give to programs now without any;
// 0 when it does not say.
std::uint64_t memory_of_this_machine();
std::uint64_t available_memory();

}  // namespace tailwave
