#pragma once

namespace tailwave {

// From construction on, the first Ctrl-C (or SIGTERM, or SIGHUP unless that is ignored) only asks: a trial in flight
// that takes less than a second more is finished and stored.
// A second one ends the process at once with status 130. The handlers before are restored at the end.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool requested();
};

}  // namespace tailwave
