#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/executor.h"

namespace tailwave {

// How a process becomes a processing element. May throw Failure and Error.
struct PeEntry {
  // In the process of the first one: by what all of them find each other.
  std::function<std::string()> invite;
  // Opens the GPU of one of so many, and waits for the others. Its symmetric memory, its collectives and the end of
  // it wait for them, too; each run begins when all of them are there, and ends so, both outside of its time. Has
  // Executor::counters() where it was opened to record.
  std::function<std::unique_ptr<Executor>(int pe, int pes, const std::string& invitation)> join;
};

// A processing element's process: does what comes through the socket, until the other side closes it. Confines itself
// when its GPU is open.
void serve_as_pe(int socket, const PeEntry& entry);

}  // namespace tailwave
