#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <string>

#include "measure/worker.h"

namespace tailwave {

// While it is there, a worker that computes a reference has that told when it takes a while, and ends it where it would
// surely take longer than `longest_s`.
class Telling {
 public:
  using Tell = std::function<void(const std::string&)>;
  Telling(Worker& worker, Tell tell, std::string what,
          double longest_s = std::numeric_limits<double>::infinity());
  ~Telling() { worker_.set_waiting({}); }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

 private:
  std::string look_at(const Watch::Reading& reading);

  Worker& worker_;
  Tell tell_;
  std::string what_;
  double longest_s_, told_s_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tailwave
