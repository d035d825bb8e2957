#include "device/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "core/descendants.h"
#include "core/error.h"

namespace tailwave {
namespace {

enum class Command : char { start, wait, kill };

[[noreturn]] void fail(const char* doing) {
  throw Error(fmt::format("{}: {}", doing, std::strerror(errno)));
}

std::pair<Descriptor, Descriptor> make_sockets(int type) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("creating a pair of sockets");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// One command byte, and with it a descriptor unless that is negative.
bool send_command(int control, Command command, int descriptor) {
  iovec part{&command, sizeof command};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  if (descriptor >= 0) {
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(control, &message, MSG_NOSIGNAL) == 1;
}

// False when the other side is gone. `descriptor` is -1 where none came along.
bool receive_command(int control, Command& command, int& descriptor) {
  iovec part{&command, sizeof command};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  ssize_t received = -1;
  do {
    received = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received != 1) return false;
  descriptor = -1;
  if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header != nullptr) {
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  }
  return true;
}

void answer(int control, int number) {
  ::send(control, &number, sizeof number, MSG_NOSIGNAL);
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The process that starts the workers, one after another. It hears of a worker's end before its owner does, and ends
// what that one has left behind, which may hold its socket open.
class Helper {
 public:
  Helper(Descriptor control, const std::function<void(int)>& body, pid_t owner)
      : control_(std::move(control)), body_(body), owner_(owner) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : {SIGCHLD, kOwnerDied}) {
      std::signal(signal, SIG_DFL);  // one that is ignored is not heard either
      sigaddset(&heard, signal);
    }
    sigprocmask(SIG_BLOCK, &heard, &signals_before_);
    signals_ = Descriptor(signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
    setpgid(0, 0);
  }

  [[noreturn]] void run() {
    if (signals_.number() >= 0 && adopt_descendants(owner_, kOwnerDied)) {
      while (serve()) {
      }
    }
    end_descendants();
    _exit(0);
  }

 private:
  // Sent when any thread of the owner that has started a helper ends, too.
  static constexpr int kOwnerDied = SIGUSR1;

  // False when there is nobody left to serve.
  bool serve() {
    std::array<pollfd, 2> sources{{{control_.number(), POLLIN, 0}, {signals_.number(), POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0) return errno == EINTR;
    if (sources[1].revents != 0) {
      signalfd_siginfo heard{};
      while (read(signals_.number(), &heard, sizeof heard) == sizeof heard) {
      }
      if (getppid() != owner_) return false;
      reap();
    }
    return sources[0].revents == 0 || obey();
  }

  bool obey() {
    Command command{};
    int descriptor = -1;
    if (!receive_command(control_.number(), command, descriptor)) return false;
    if (command == Command::kill) {
      if (worker_ > 0) ::kill(worker_, SIGKILL);
    } else if (command == Command::wait) {
      awaited_ = true;
      tell_end();
    } else {
      start(descriptor);
    }
    return true;
  }

  void start(int descriptor) {
    const pid_t helper = getpid();
    status_.reset();
    awaited_ = false;
    worker_ = fork();
    if (worker_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      if (getppid() != helper) _exit(0);
      sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
      control_.close();
      signals_.close();
      body_(descriptor);
      _exit(0);
    }
    close(descriptor);
    answer(control_.number(), worker_);
  }

  // Of the worker and of what it started.
  void reap() {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != worker_) continue;
      worker_ = -1;
      status_ = status;
      left_others_ = end_descendants();
      tell_end();
    }
  }

  void tell_end() {
    if (!awaited_ || !status_) return;
    answer(control_.number(), *std::exchange(status_, std::nullopt));
    answer(control_.number(), left_others_ ? 1 : 0);
    awaited_ = false;
  }

  Descriptor control_, signals_;
  const std::function<void(int)>& body_;
  pid_t owner_;
  sigset_t signals_before_{};
  pid_t worker_ = -1;          // -1: none, or it has ended
  std::optional<int> status_;  // of one that has ended, until it is told
  bool left_others_ = false;   // likewise
  bool awaited_ = false;
};

int receive_answer(int control) {
  int number = -1;
  ssize_t received = -1;
  do {
    received = recv(control, &number, sizeof number, 0);
  } while (received < 0 && errno == EINTR);
  if (received != sizeof number) throw Error("the process that starts device workers is gone");
  return number;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::function<void(int socket)>& body) {
  auto [ours, theirs] = make_sockets(SOCK_SEQPACKET);
  const pid_t owner = getpid();
  helper_ = fork();
  if (helper_ < 0) fail("starting a process");
  if (helper_ == 0) {
    ours.close();
    Helper(std::move(theirs), body, owner).run();
  }
  control_ = std::move(ours);
}

WorkerProcess::~WorkerProcess() {
  socket_.shut_down();
  control_.shut_down();
  wait_for(helper_);
}

void WorkerProcess::start() {
  end();
  auto [ours, theirs] = make_sockets(SOCK_STREAM);
  if (!send_command(control_.number(), Command::start, theirs.number())) fail("starting a device worker");
  worker_ = receive_answer(control_.number());
  left_others_ = false;
  if (worker_ <= 0) throw Error("starting a device worker: the system refuses another process");
  socket_ = std::move(ours);
}

// By the helper: it alone knows whether the number is still this worker's.
void WorkerProcess::kill() const noexcept {
  if (worker_ > 0) send_command(control_.number(), Command::kill, -1);
}

std::string WorkerProcess::end(double limit_s) {
  socket_.shut_down();
  if (worker_ <= 0) return "";
  if (!send_command(control_.number(), Command::wait, -1)) fail("waiting for a device worker");
  pollfd answer{control_.number(), POLLIN, 0};
  while (limit_s > 0) {
    const int ready = poll(&answer, 1, static_cast<int>(std::min(limit_s * 1e3, 2e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) kill();
    break;
  }
  worker_ = -1;
  const int status = receive_answer(control_.number());
  left_others_ = receive_answer(control_.number()) != 0;
  signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal_ != 0) {
    return fmt::format("was killed by signal {} ({})", signal_, strsignal(signal_));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace tailwave
