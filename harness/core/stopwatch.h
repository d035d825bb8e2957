#pragma once

#include <chrono>

namespace tailwave {

// Wall-clock time.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Adds the seconds from its construction to stop(), or to its end.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_s) : total_s_(total_s) {}
  ~Stopwatch() { stop(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void stop() {
    if (!stopped_) total_s_ += seconds_since(start_);
    stopped_ = true;
  }

 private:
  double& total_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
};

}  // namespace tailwave
