#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/print_capture.h"
#include "device/worker_process.h"
#include "tune/builder.h"

namespace tailwave {

// Builds in processes of their own, ahead of whoever needs the results: NVRTC's front end takes one lock a process,
// and a compiler that crashes or never ends costs one configuration, with the outcome compile_error or
// compile_timeout. A build whose process a signal ends is tried once more: memory may have been short.
//
// There is one process to begin with, since the cache may have everything; others are started when work waits and
// all processes have been busy with a build for a few milliseconds. A build waits for whichever process is free
// first, unless builds are so short that a process would wait for somebody to hand it the next one.
//
// Nothing here happens by itself: every call hands out work, starts processes and sees to deadlines. Who waits for
// something else, too, polls descriptors() with its own for due_s() at most, and calls receive() then.
class CompilePool {
 public:
  // Runs in the processes. Throws Error for what no configuration can survive.
  using Build = std::function<Built(std::size_t index)>;
  // Where a number does not say enough, since the process began before it was given: `task` as it was asked for.
  using BuildTask = std::function<Built(std::size_t index, const std::string& task)>;

  // Builds 0 to count - 1, beginning in this order, in `processes` at most. To be made while this process has one
  // thread, as long as it exists where ask() is used. `deadline_s`: for one build.
  CompilePool(std::size_t count, unsigned processes, Build build, double deadline_s = kDefaultBuildDeadlineS);
  // The same of tasks that are asked for later.
  CompilePool(unsigned processes, BuildTask build, double deadline_s = kDefaultBuildDeadlineS);
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // One more build, after those that wait already; any number that was not asked for before.
  void ask(std::size_t index, std::string task = "");
  // Builds that were asked for and have not ended.
  [[nodiscard]] std::size_t unfinished() const;

  // Of the results that were not taken, the one that came first; waits for one up to `wait_s`, as long as a build is
  // unfinished. Throws the Error that this build threw, and Cancelled when `stop` becomes true while it waits.
  std::optional<std::pair<std::size_t, Built>> take_any(double wait_s, const std::function<bool()>& stop);
  // Of the results that were not taken, as they came.
  [[nodiscard]] std::vector<std::size_t> there() const;
  // take() of a result that is there already, else nothing. Throws the Error that this build threw.
  std::optional<Built> take_if_there(std::size_t index);
  // The result of one build that was asked for, once: waits for it. Throws as take_any() does.
  Built take(std::size_t index, const std::function<bool()>& stop);

  // Readable when receive() has something to take.
  [[nodiscard]] std::vector<pollfd> descriptors() const;
  // After so many seconds receive() has something to do even so: a deadline, or a process to start. Infinite: nothing.
  [[nodiscard]] double due_s() const;
  // Takes what has come, without waiting.
  void receive();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    explicit Worker(const BuildTask& build);

    // By a build, which is heard where its process dies of it.
    PrintCapture printed;
    WorkerProcess process;
    std::deque<std::size_t> builds;  // handed out, the first one being built
    Clock::time_point since;         // it is
  };
  struct Result {
    std::size_t index = 0;
    Built built;
    std::exception_ptr error;  // that the build threw instead
  };

  void order(const Worker& worker, std::size_t index) const;
  void hand_out();
  void hand_out(Worker& worker);
  void start_others();
  void start_again(Worker& worker) const;
  void receive_from(Worker& worker);
  void see_to_death(Worker& worker);
  void see_to_deadline(Worker& worker);
  void end_build(Worker& worker, Outcome outcome, const std::string& detail);
  // Whether this is the first time that somebody else has ended it.
  bool try_again(std::size_t index) { return tried_again_.insert(index).second; }
  [[nodiscard]] bool wants_processes() const { return !waiting_.empty() && workers_.size() < processes_; }
  // Of the build that is in hand for the shortest time.
  [[nodiscard]] double least_age_s() const;
  void wait(double seconds);
  std::pair<std::size_t, Built> take_result(const std::deque<Result>::iterator& result);

  unsigned processes_;
  BuildTask build_;
  std::map<std::size_t, std::string> tasks_;  // of builds that were asked for with one, until they are taken
  double deadline_s_;
  std::deque<std::size_t> waiting_;  // not handed out
  std::set<std::size_t> tried_again_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Result> results_;                                  // as they came
  double typical_s_ = std::numeric_limits<double>::infinity();  // of the latest builds: above the mean
};

// One build in a process of its own. Throws Error, and Cancelled when `stop` becomes true.
Built build_elsewhere(Compiler& compiler, const BuildRequest& request, const std::function<bool()>& stop);

}  // namespace tailwave
