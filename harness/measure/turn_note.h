#pragma once

#include <chrono>
#include <optional>

#include "core/descriptor.h"

namespace tailwave {

// By which a worker tells the process that waits for its answer, once a request, that its turn on the device has begun.
// Unlike what the watch says, which lies in memory that both can write, code that the worker runs afterwards cannot take
// it back.
class TurnNote {
 public:
  // To be made before the worker is forked. Throws Error when the system refuses.
  TurnNote();

  // In the worker, before it does anything else.
  void be_told_from_here() noexcept { heard_.close(); }
  void tell() const noexcept;

  // In the process that made it: when it was first seen that that was told since forget().
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> told_at() const noexcept;
  void forget() noexcept;

 private:
  Descriptor heard_, told_;  // the ends of a connection: a pipe could be opened again, and emptied
  mutable std::optional<std::chrono::steady_clock::time_point> told_at_;
};

}  // namespace tailwave
