#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "device/remote_executor.h"

namespace tailwave {

// What RemoteExecutor asks of a worker, each with the arguments of the Executor call of that name. Buffers and programs
// have the numbers that the asking side gives them.
enum class Operation : unsigned char {
  // Not answered, so that many of them travel together. What one of them throws is the answer of the next operation that
  // has an answer; until then only releases are performed.
  load,
  unload,
  allocate,
  release,
  upload,
  copy,
  fill,
  forgive,  // forgets such a failure: nobody who would want to know is left
  // Answered.
  open,    // no arguments; answers the device's description and the timer
  settle,  // nothing, so that what was not answered is done
  blocks_per_sm,
  download,
  guard_damage,
  copy_bandwidth,
  trace,
  run,           // after the deadline in seconds
  run_fresh,     // likewise
  run_and_read,  // likewise
};
constexpr bool is_answered(Operation operation) {
  return operation >= Operation::open;
}

// How an answer begins; then follow the result, outcome and text and whether the executor is still usable, or text.
enum class Answer : unsigned char { result, failure, error };

// Many bytes of a request or an answer are either a part of its packet, or lie in memory that both processes share.
inline constexpr std::size_t kInPacket =
    std::numeric_limits<std::size_t>::max();  // instead of where they begin

// Answers requests with an executor that the factory makes at `open`, until the other side closes the socket or
// the executor is no longer usable. Throws nothing.
void serve(int socket, const ExecutorFactory& factory, std::span<std::byte> shared) noexcept;

}  // namespace tailwave
