#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "device/worker_process.h"
#include "tune/builder.h"

namespace tailwave {

// Builds in processes of their own, ahead of whoever needs the results: NVRTC's front end takes one lock a process,
// and a compiler that crashes or never ends costs one configuration, with the outcome compile_error.
class CompilePool {
 public:
  // Runs in the processes. Throws Error for what no configuration can survive.
  using Build = std::function<Built(std::size_t index)>;

  // Builds 0 to count - 1, in this order. To be made while this process has one thread. `deadline_s`: for one build.
  CompilePool(std::size_t count, unsigned processes, const Build& build,
              double deadline_s = kDefaultDeadlineS);
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  static constexpr double kDefaultDeadlineS = 120;

  // The result of one build, once: waits for it. Throws Error that a build threw, and Cancelled when `stop` becomes
  // true while it waits.
  Built take(std::size_t index, const std::function<bool()>& stop);

 private:
  struct Worker;

  static void ask_for(const Worker& worker, std::size_t index);
  void hand_out(Worker& worker);
  void receive_from(Worker& worker);
  void give_up(Worker& worker, const std::string& why);
  void wait(double seconds);

  std::size_t count_, next_ = 0;
  double deadline_s_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<std::size_t, Built> results_;
};

}  // namespace tailwave
