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
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/descendants.h"
#include "core/error.h"
#include "core/temporary_folder.h"

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

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// A process that does what comes through a socket, until its owner has no more use for it or dies.
class Servant {
 public:
  // What its children do, and who hears what they print, or null.
  struct Work {
    const std::function<void(int)>& body;
    PrintCapture* printed;
  };

  Servant(Descriptor control, const Work& work, pid_t owner)
      : control_(std::move(control)), work_(work), owner_(owner) {
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
  virtual ~Servant() = default;
  Servant(const Servant&) = delete;
  Servant& operator=(const Servant&) = delete;

  [[noreturn]] void run() {
    if (signals_.number() >= 0 && adopt_descendants(owner_, kOwnerDied)) {
      while (serve()) {
      }
    }
    end_descendants();
    clear();
    _exit(0);
  }

 protected:
  virtual void clear() {}  // at the end
  virtual void obey(Command command, int descriptor) = 0;
  virtual void reap() = 0;
  // What else it listens to; -1: nothing.
  [[nodiscard]] virtual int other_source() const { return -1; }
  virtual void listen() {}

  // In a child, before it becomes something else.
  void leave_off() {
    sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
    control_.close();
    signals_.close();
  }
  void answer(int number) const { ::send(control_.number(), &number, sizeof number, MSG_NOSIGNAL); }
  void tell(const std::string& text) const {
    ::send(control_.number(), text.c_str(), text.size() + 1, MSG_NOSIGNAL);
  }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  // Sent when any thread of the owner that has started a servant ends, too.
  static constexpr int kOwnerDied = SIGUSR1;

  // False when there is nobody left to serve.
  bool serve() {
    std::array<pollfd, 3> sources{
        {{control_.number(), POLLIN, 0}, {signals_.number(), POLLIN, 0}, {other_source(), POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0) return errno == EINTR;
    if (sources[1].revents != 0) {
      signalfd_siginfo heard{};
      while (read(signals_.number(), &heard, sizeof heard) == sizeof heard) {
      }
      if (getppid() != owner_) return false;
      reap();
    }
    if (sources[2].revents != 0) listen();
    if (sources[0].revents == 0) return true;
    Command command{};
    int descriptor = -1;
    if (!receive_command(control_.number(), command, descriptor)) return false;
    obey(command, descriptor);
    return true;
  }

  Descriptor control_, signals_;
  Work work_;
  pid_t owner_;
  sigset_t signals_before_{};
};

// The process that starts the workers, one after another. It hears of a worker's end before its owner does, and ends
// what that one has left behind, which may hold its socket open.
class Helper final : public Servant {
 public:
  using Servant::Servant;

 private:
  void obey(Command command, int descriptor) override {
    if (command == Command::kill) {
      if (worker_ > 0) ::kill(worker_, SIGKILL);
    } else if (command == Command::wait) {
      awaited_ = true;
      tell_end();
    } else {
      start(descriptor);
    }
  }

  void start(int descriptor) {
    const pid_t helper = getpid();
    status_.reset();
    awaited_ = false;
    if (work().printed != nullptr) work().printed->begin();
    worker_ = fork();
    if (worker_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      if (getppid() != helper) _exit(0);
      leave_off();
      if (work().printed != nullptr) work().printed->redirect();
      work().body(descriptor);
      std::fflush(nullptr);
      _exit(0);
    }
    close(descriptor);
    answer(worker_);
  }

  // Of the worker and of what it started.
  void reap() override {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != worker_) continue;
      worker_ = -1;
      status_ = status;
      left_others_ = end_descendants();
      if (work().printed != nullptr) work().printed->read_rest();
      tell_end();
    }
  }

  void tell_end() {
    if (!awaited_ || !status_) return;
    answer(*std::exchange(status_, std::nullopt));
    answer(left_others_ ? 1 : 0);
    awaited_ = false;
  }

  [[nodiscard]] int other_source() const override {
    return work().printed == nullptr ? -1 : work().printed->descriptor();
  }
  void listen() override { work().printed->read_some(); }

  pid_t worker_ = -1;          // -1: none, or it has ended
  std::optional<int> status_;  // of one that has ended, until it is told
  bool left_others_ = false;   // likewise
  bool awaited_ = false;
};

// What helpers are forked from: as this process was when the WorkerProcess was made. Code in a worker can kill its
// parent, or stop it, which comes to the same: then all below it is ended, and there can be another.
class Origin final : public Servant {
 public:
  using Servant::Servant;

 private:
  void obey(Command command, int descriptor) override {
    if (command == Command::start) return start(descriptor);
    close(descriptor);
    end_helper();
    answer(status_);
  }

  void start(int descriptor) {
    end_helper();
    const pid_t origin = getpid();
    make_scratch_folder();
    tell(scratch_ ? scratch_->path().string() : "");
    helper_ = fork();
    if (helper_ == 0) {
      leave_off();
      Helper(Descriptor(descriptor), work(), origin).run();
    }
    close(descriptor);
    answer(helper_);
  }

  void end_helper() {
    if (helper_ > 0) {
      ::kill(helper_, SIGKILL);
      status_ = wait_for(std::exchange(helper_, -1));
    }
    end_descendants();
  }

  void reap() override {
    int status = 0;
    for (pid_t changed = 0; (changed = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (changed != helper_) continue;
      if (!WIFSTOPPED(status)) {
        helper_ = -1;
        status_ = status;
      }
      end_helper();
    }
  }

  // Compilers and the code that is measured leave their temporary files there when they are killed.
  void make_scratch_folder() {
    if (scratch_) return;
    try {
      setenv("TMPDIR", scratch_.emplace().path().c_str(), 1);
    } catch (const Error&) {
      return;  // whoever needs it meets that again
    }
  }

  void clear() override { scratch_.reset(); }

  std::optional<TemporaryFolder> scratch_;
  pid_t helper_ = -1;  // -1: none, or it has ended
  int status_ = 0;     // of the latest that has ended
};

// Nothing where nobody is left to answer.
std::optional<int> receive_answer(int control) {
  int number = -1;
  ssize_t received = -1;
  do {
    received = recv(control, &number, sizeof number, 0);
  } while (received < 0 && errno == EINTR);
  if (received != sizeof number) return std::nullopt;
  return number;
}

// Likewise, or where it has nothing to tell: "".
std::string receive_path(int control) {
  std::array<char, PATH_MAX> path{};
  ssize_t received = -1;
  do {
    received = recv(control, path.data(), path.size() - 1, 0);
  } while (received < 0 && errno == EINTR);
  return path.data();
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

WorkerProcess::WorkerProcess(const std::function<void(int socket)>& body, PrintCapture* printed) {
  auto [ours, theirs] = make_sockets(SOCK_SEQPACKET);
  const pid_t owner = getpid();
  std::fflush(nullptr);  // what is not written yet the children would write, too
  origin_ = fork();
  if (origin_ < 0) fail("starting a process");
  if (origin_ == 0) {
    ours.close();
    Origin(std::move(theirs), {body, printed}, owner).run();
  }
  to_origin_ = std::move(ours);
}

WorkerProcess::~WorkerProcess() {
  socket_.shut_down();
  to_helper_.shut_down();
  to_origin_.shut_down();
  if (origin_ > 0) wait_for(origin_);
  if (!scratch_.empty()) remove_temporary_folder(scratch_);  // by now only of an origin that was killed
}

bool WorkerProcess::start_helper() {
  auto [ours, theirs] = make_sockets(SOCK_SEQPACKET);
  if (!send_command(to_origin_.number(), Command::start, theirs.number())) return false;
  if (std::string path = receive_path(to_origin_.number()); !path.empty()) scratch_ = std::move(path);
  if (receive_answer(to_origin_.number()).value_or(-1) <= 0) return false;
  to_helper_ = std::move(ours);
  return true;
}

// Nothing where the helper is gone.
std::optional<pid_t> WorkerProcess::start_worker() {
  auto [ours, theirs] = make_sockets(SOCK_STREAM);
  if (!send_command(to_helper_.number(), Command::start, theirs.number())) return std::nullopt;
  const std::optional<int> started = receive_answer(to_helper_.number());
  socket_ = std::move(ours);
  return started;
}

void WorkerProcess::start() {
  end();
  left_others_ = false;
  std::optional<pid_t> started;
  for (int attempt = 0; attempt < 2 && !started; ++attempt) {
    if (to_helper_.number() < 0 && !start_helper()) break;
    started = start_worker();
    if (!started) lose_helper();
  }
  if (!started) throw Error("the process that starts device workers is gone");
  if (*started <= 0) throw Error("starting a device worker: the system refuses another process");
  worker_ = *started;
}

// By the helper: it alone knows whether the number is still this worker's.
void WorkerProcess::kill() const noexcept {
  if (worker_ > 0) send_command(to_helper_.number(), Command::kill, -1);
}

std::string WorkerProcess::end(double limit_s) {
  socket_.shut_down();
  if (worker_ <= 0) return "";
  send_command(to_helper_.number(), Command::wait, -1);
  pollfd answer{to_helper_.number(), POLLIN, 0};
  bool went_on = false;
  while (limit_s > 0) {
    const int ready = poll(&answer, 1, static_cast<int>(std::min(limit_s * 1e3, 2e9)));
    if (ready < 0 && errno == EINTR) continue;
    went_on = ready == 0;
    if (went_on) kill();
    break;
  }
  worker_ = -1;
  const std::optional<int> status = receive_answer(to_helper_.number());
  const std::optional<int> left = receive_answer(to_helper_.number());
  if (!status || !left) return lose_helper();
  left_others_ = *left != 0;
  signal_ = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  return went_on ? "did not end when its connection was closed, and was ended" : how_it_ended(*status);
}

std::string WorkerProcess::lose_helper() {
  to_helper_.close();
  signal_ = SIGKILL;
  if (send_command(to_origin_.number(), Command::wait, -1)) {
    const std::optional<int> status = receive_answer(to_origin_.number());
    if (status) return "ended with its parent, which " + how_it_ended(*status);
  }
  if (origin_ > 0) origin_status_ = wait_for(std::exchange(origin_, -1));
  return "ended with the process that started its parent, which " + how_it_ended(origin_status_);
}

}  // namespace tailwave
