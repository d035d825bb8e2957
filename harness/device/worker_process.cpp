#include "device/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace tailwave {
namespace {

enum class Command : char { start, wait };

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

void answer(int control, int number) {
  ::send(control, &number, sizeof number, MSG_NOSIGNAL);
}

[[noreturn]] void run_helper(Descriptor control, const std::function<void(int)>& body) {
  // Both reach the whole process group; the parent ends its workers itself.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  pid_t worker = -1;
  Command command{};
  int descriptor = -1;
  while (receive_command(control.number(), command, descriptor)) {
    if (command == Command::wait) {
      answer(control.number(), wait_for(std::exchange(worker, -1)));
      continue;
    }
    worker = fork();
    if (worker == 0) {
      control.close();
      body(descriptor);
      _exit(0);
    }
    close(descriptor);
    answer(control.number(), worker);
  }
  if (worker > 0) {
    ::kill(worker, SIGKILL);
    wait_for(worker);
  }
  _exit(0);
}

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

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

void Descriptor::shut_down() noexcept {
  if (number_ >= 0) shutdown(number_, SHUT_RDWR);
  close();
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

WorkerProcess::WorkerProcess(const std::function<void(int socket)>& body) {
  auto [ours, theirs] = make_sockets(SOCK_SEQPACKET);
  helper_ = fork();
  if (helper_ < 0) fail("starting a process");
  if (helper_ == 0) {
    ours.close();
    run_helper(std::move(theirs), body);
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
  if (worker_ <= 0) throw Error("starting a device worker: the system refuses another process");
  socket_ = std::move(ours);
}

void WorkerProcess::kill() const noexcept {
  if (worker_ > 0) ::kill(worker_, SIGKILL);
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
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace tailwave
