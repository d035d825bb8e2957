#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "core/descriptor.h"

namespace tailwave {

// A child process behind a socket that can be replaced when it has died. Workers are forked by a helper process
// that is itself forked in the constructor and does nothing else, so that a later worker starts as clean as the
// first, whatever threads and locks this process has by then.
//
// A worker ends with all that it started, whatever groups and sessions that made for itself: the helper kills it when
// the worker has ended, by itself or not, and it ends the worker with this object or this process, however that ends.
// A helper that is killed takes its worker along. Workers ignore SIGINT, SIGTERM and SIGHUP, and are groups of their
// own, since Ctrl-C reaches the terminal's whole group: this process decides.
class WorkerProcess {
 public:
  // `body` runs in every worker with its socket, after which the worker ends; it must not let exceptions
  // escape. Throws Error when the system refuses.
  explicit WorkerProcess(const std::function<void(int socket)>& body);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts a worker, first waiting for the one before to end. Throws Error.
  void start();
  [[nodiscard]] pid_t worker() const { return worker_; }         // -1: none
  [[nodiscard]] int socket() const { return socket_.number(); }  // stream socket to the worker

  // The worker is dead when end() returns, and soon in any case.
  void kill() const noexcept;
  // The signal that ended the worker that end() told of last; 0: none did.
  [[nodiscard]] int signal() const { return signal_; }
  // Whether that worker had left processes behind, which were ended.
  [[nodiscard]] bool left_others() const { return left_others_; }
  // Closes the socket and waits for the worker, which is killed after `limit_s` (0: never): "exited with status 3",
  // "was killed by signal 11 (Segmentation fault)"; "" when none was started.
  std::string end(double limit_s = 0);

 private:
  Descriptor control_;
  Descriptor socket_;
  pid_t helper_ = -1;
  pid_t worker_ = -1;
  int signal_ = 0;
  bool left_others_ = false;
};

}  // namespace tailwave
