#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tailwave {

inline constexpr double kLongestInputsS =
    600;  // that making, moving and reading back a problem's data may take

// What a worker process is at, in memory that it shares with the process which ends one that takes too long.
class Watch {
 public:
  // Waiting is for its turn on the device, and may take for ever.
  enum class Doing : std::uint32_t { nothing, host_work, kernels, waiting };

  struct Reading {
    Doing doing = Doing::nothing;
    double seconds = 0;  // so far
    double limit_s = 0;  // it may take
    double share = 0;    // of it that is done, where that is known; else 0
  };
  [[nodiscard]] Reading read() const {
    const std::chrono::nanoseconds since(since_ns_.load());
    return {doing_.load(), std::chrono::duration<double>(now() - since).count(), limit_s_.load(),
            share_.load()};
  }

  // From its construction to its end; then what was done before goes on, from the beginning.
  class Scope {
   public:
    Scope(Watch& watch, Doing doing, double limit_s)
        : watch_(watch), before_(watch.doing_.load()), limit_before_s_(watch.limit_s_.load()) {
      watch_.begin(doing, limit_s);
    }
    ~Scope() { watch_.begin(before_, limit_before_s_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Watch& watch_;
    Doing before_;
    double limit_before_s_;
  };

  // For Executor::report_progress.
  std::atomic<double>& share() { return share_; }

  void begin(Doing doing, double limit_s) {
    since_ns_.store(now().count());
    share_.store(0);
    limit_s_.store(limit_s);
    doing_.store(doing);
  }

 private:
  // The same in all processes of the machine.
  static std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

  std::atomic<std::int64_t> since_ns_{0};
  std::atomic<double> limit_s_{0}, share_{0};
  std::atomic<Doing> doing_{Doing::nothing};
};

}  // namespace tailwave
