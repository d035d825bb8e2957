#include "cluster/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/kept_program.h"

namespace tailwave {
namespace {

volatile std::sig_atomic_t stop_count = 0;

void on_stop(int /*signal*/) {
  stop_count = 1;
}

constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGHUP};
std::array<struct sigaction, kSignals.size()> before{};

// Returns only where it cannot: the number of the error.
int become(const ChildStart& start, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  for (const auto& [name, value] : start.environment) setenv(name.c_str(), value.c_str(), 1);
  if (!start.folder.empty() && chdir(start.folder.c_str()) != 0) return errno;
  if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)) return errno;
  if (start.inherited >= 0) fcntl(start.inherited, F_SETFD, 0);
  std::vector<char*> words;
  for (const std::string& word : start.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  return errno;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(fmt::format("{}: cannot be started: {}", what, std::strerror(error)));
}

}  // namespace

Child::Child(const ChildStart& start) {
  constexpr int kMode = 0644;
  Descriptor output;
  if (!start.output.empty()) {
    output = Descriptor(open(start.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
    if (output.number() < 0)
      throw Error(Diagnostic{.file = start.output.string(),
                             .cause = fmt::format("cannot be written: {}", std::strerror(errno))},
                  Error::kRunFailed);
  }
  auto [answer, answering] = make_pipe(start.command.front());
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) fail(start.command.front(), errno);
  if (process_ == 0) {
    const int error = become(start, output.number(), parent);
    static_cast<void>(!write(answering.number(), &error, sizeof error));
    _exit(127);
  }
  answering.close();
  int error = 0;
  ssize_t count = 0;
  while ((count = read(answer.number(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count != sizeof error) return;
  waitpid(process_, nullptr, 0);
  fail(start.command.front(), error);
}

Child::~Child() {
  if (poll()) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Child::poll() noexcept {
  int status = 0;
  if (status_ || waitpid(process_, &status, WNOHANG) != process_) return status_;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status_;
}

void Child::stop() const noexcept {
  if (!status_) kill(process_, SIGTERM);
}

void stop_with_parent() noexcept {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) raise(SIGTERM);
}

StopSignals::StopSignals() {
  stop_count = 0;
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool StopSignals::requested() noexcept {
  return stop_count > 0;
}

}  // namespace tailwave
