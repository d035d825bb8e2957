#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
  // Where a number does not say enough, since the process began before it was given: `task` as it was asked for.
  using BuildTask = std::function<Built(std::size_t index, const std::string& task)>;

  // Builds 0 to count - 1, in this order, in as many processes as it takes for nobody to wait, `processes` at most: one to
  // begin with, since the cache may have everything. To be made while this process has one thread, as long as it exists where ask() is
  // used. `deadline_s`: for one build.
  CompilePool(std::size_t count, unsigned processes, Build build, double deadline_s = kDefaultDeadlineS);
  // The same of tasks that are asked for later.
  CompilePool(unsigned processes, BuildTask build, double deadline_s = kDefaultDeadlineS);
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  static constexpr double kDefaultDeadlineS = 120;

  // One more build, after those that wait already; any number that was not asked for before.
  void ask(std::size_t index, std::string task = "");
  // take() of a result that is there already, else nothing. Throws the Error that this build threw.
  std::optional<Built> take_if_there(std::size_t index);
  // The result of one build that was asked for, once: waits for it. Throws the Error that this build threw, and
  // Cancelled when `stop` becomes true while it waits.
  Built take(std::size_t index, const std::function<bool()>& stop);

 private:
  struct Worker;

  struct Order {
    std::size_t index = 0;
    std::string task;
  };
  static void order(const Worker& worker, const Order& order);
  void hand_out(Worker& worker);
  void receive_from(Worker& worker);
  void give_up(Worker& worker, const std::string& why);
  void wait(double seconds);
  // Whether there is one more process now.
  bool start_another();

  unsigned processes_;
  BuildTask build_;
  double deadline_s_;
  std::deque<Order> waiting_;  // not handed out
  std::vector<std::unique_ptr<Worker>> workers_;
  struct Result {
    Built built;
    std::exception_ptr error;  // that the build threw instead
  };
  std::map<std::size_t, Result> results_;
};

}  // namespace tailwave
