#pragma once

#include "device/remote_executor.h"

namespace tailwave {

// What RemoteExecutor asks of a worker, each with the arguments of the Executor call of that name.
enum class Operation : unsigned char {
  open,  // no arguments; answers the device's description and the timer
  load,
  unload,
  blocks_per_sm,
  allocate,
  release,
  upload,
  download,
  copy,
  guard_damage,
  run,  // after the deadline in seconds
};

// How an answer begins; then follow the result, outcome and text and whether the executor is still usable, or text.
enum class Answer : unsigned char { result, failure, error };

// Answers requests with an executor that the factory makes at `open`, until the other side closes the socket or
// the executor is no longer usable. Throws nothing.
void serve(int socket, const ExecutorFactory& factory) noexcept;

}  // namespace tailwave
