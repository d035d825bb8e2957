#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/executor.h"

namespace tailwave {

// What a captured launch does when it is launched anew, in other processes and at other addresses.
struct ReplayCheck {
  struct Memory {
    std::string buffer;
    std::size_t bytes = 0;
    std::size_t differing = 0;  // bytes that are not as the application's launch left them
    std::size_t written = 0;    // bytes that the launch writes whatever was there
  };
  std::string failure;  // why it could not be launched; "": it was
  bool repeats = true;  // two launches leave the same
  std::vector<Memory> memory;

  [[nodiscard]] bool is_identical() const;
};

// Launches the variant `captured` of a manifest that write_captured_system() wrote, each time in a process of its own.
//
// What a launch wrote in the application was there before where it had been launched before, and a kernel that writes nothing
// would pass for right. So each part of a buffer, from one address that an argument has to the next, begins with other bytes in
// its turn: those that come out right all the same are what the launch writes, and the buffer's file gets other bytes
// there. A part whose other bytes change any other, or end the kernel, is an input and stays as it is.
//
// `size`: of several which, from 0. Throws Error for a manifest that cannot be read. To be called before this process touches
// CUDA.
ReplayCheck check_replay(const std::filesystem::path& manifest, int size, const ExecutorFactory& device);

// Launches it so many times in this process, one after another where that leaves the same each time, else each time with the
// memory that it begins with. Throws Error and Failure.
void launch_again(const std::filesystem::path& manifest, int size, const ExecutorFactory& device, int times);

}  // namespace tailwave
