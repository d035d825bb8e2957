#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "core/descriptor.h"
#include "device/print_capture.h"

namespace tailwave {

// A child process behind a socket that can be replaced when it has died. Workers are forked by a helper process
// that does nothing else and knows this one as it was in the constructor, so that a later worker starts as clean as the
// first, whatever threads and locks this process has by then.
//
// Its folder of temporary files ($TMPDIR) is the workers' own, and goes with this object or this process, whichever of
// the processes here is killed.
//
// The helper has a parent that was forked in the constructor and does nothing but fork helpers: a worker that kills or
// stops its helper ends with it, and there is another one for the next worker.
//
// A worker ends with all that it started, whatever groups and sessions that made for itself: the helper kills it when
// the worker has ended, by itself or not, and it ends the worker with this object or this process, however that ends.
// A helper that is killed takes its worker along. Workers ignore SIGINT, SIGTERM and SIGHUP, and are groups of their
// own, since Ctrl-C reaches the terminal's whole group: this process decides.
class WorkerProcess {
 public:
  // `body` runs in every worker with its socket, after which the worker ends; it must not let exceptions
  // escape. Throws Error when the system refuses. `printed` has what the latest worker printed, whole when end() has
  // returned; null: that goes where this process prints.
  explicit WorkerProcess(const std::function<void(int socket)>& body, PrintCapture* printed = nullptr);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts a worker, first waiting for the one before to end. Throws Error.
  void start();
  [[nodiscard]] pid_t worker() const { return worker_; }         // -1: none
  [[nodiscard]] int socket() const { return socket_.number(); }  // stream socket to the worker

  // Closes the socket, at which a worker ends that waits for a request, and waits for nothing.
  void let_go() noexcept { socket_.shut_down(); }
  // The worker is dead when end() returns, and soon in any case.
  void kill() const noexcept;
  // The signal that ended the worker that end() told of last; 0: none did.
  [[nodiscard]] int signal() const { return signal_; }
  // Whether that worker had left processes behind, which were ended.
  [[nodiscard]] bool left_others() const { return left_others_; }
  // Closes the socket and waits for the worker, which is killed after `limit_s` (0: never): "exited with status 3",
  // "was killed by signal 11 (Segmentation fault)", "ended with its parent, which was killed by signal 9 (Killed)"; ""
  // when none was started.
  std::string end(double limit_s = 0);

 private:
  bool start_helper();
  std::optional<pid_t> start_worker();
  // Of a helper that does not answer any more: how the worker ended that it had.
  std::string lose_helper();

  Descriptor to_origin_, to_helper_;
  std::string scratch_;  // the folder of temporary files; "": there is none yet
  Descriptor socket_;
  pid_t origin_ = -1;      // -1: it has ended
  int origin_status_ = 0;  // then
  pid_t worker_ = -1;
  int signal_ = 0;
  bool left_others_ = false;
};

}  // namespace tailwave
