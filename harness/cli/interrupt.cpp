#include "cli/interrupt.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace tailwave {
namespace {

volatile std::sig_atomic_t interrupt_count = 0;

// Async-signal-safe only: a counter, write and _exit.
void on_interrupt(int /*signal*/) {
  constexpr int kInterrupted = 130;
  if (interrupt_count > 0) _exit(kInterrupted);
  interrupt_count = 1;
  constexpr const char* kText =
      "\nstopping; what takes longer than a second is abandoned; once more to stop at once\n";
  static_cast<void>(!write(STDERR_FILENO, kText, std::strlen(kText)));
}

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> previous{};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_count = 0;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous[i]);
    const bool is_for_nohup = kSignals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN;
    if (!is_for_nohup) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
}

bool InterruptGuard::requested() {
  return interrupt_count > 0;
}

}  // namespace tailwave
