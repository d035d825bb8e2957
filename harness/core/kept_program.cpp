#include "core/kept_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/descendants.h"
#include "core/error.h"
#include "core/sandbox.h"

namespace tailwave {
namespace {

[[noreturn]] void fail_to_start(const std::string& program, int error) {
  throw Error(fmt::format("{}: cannot be started: {}", program, std::strerror(error)));
}

// Texts as the system takes them; they are kept by reference.
class Texts {
 public:
  explicit Texts(const std::vector<std::string>& texts) {
    pointers_.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers_.push_back(const_cast<char*>(text.c_str()));
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* data() const { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

// What a process does before it becomes the program. Its input and output are there already.
struct Becoming {
  const Texts& command;
  const Texts& environment;
  const ProgramStart& start;

  // Returns only where it cannot: the number of the error.
  [[nodiscard]] int become() const {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!start.folder.empty() && chdir(start.folder.c_str()) != 0) return errno;
    if (start.input < 0) {
      const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return errno;
    }
    if (start.errors < 0 && dup2(STDOUT_FILENO, STDERR_FILENO) < 0) return errno;
    try {
      if (start.is_confined) enter_sandbox_of_programs();
    } catch (const std::exception&) {
      return EPERM;
    }
    execvpe(command.data()[0], command.data(), environment.data());
    return errno;
  }
};

// Ends this process as another one ended, without a core of its own.
[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  std::signal(WTERMSIG(status), SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, WTERMSIG(status));
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

constexpr int kEndProgram = SIGUSR1;  // to a keeper

// What a keeper does, in its own process.
class Keeper {
 public:
  Keeper(pid_t owner, const ProgramStart& start, int answer) {
    setpgid(0, 0);
    sigemptyset(&heard_);
    for (const int signal : {SIGCHLD, kEndProgram}) {
      std::signal(signal, SIG_DFL);  // one that is ignored is not heard either
      sigaddset(&heard_, signal);
    }
    sigset_t blocked = heard_;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);  // the owner decides
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    take_over({start.input, start.output, start.errors, answer});
    is_kept_ = adopt_descendants(owner, kEndProgram);
  }

  [[noreturn]] void run(const Becoming& program) {
    if (!is_kept_) _exit(0);
    const pid_t child = fork();
    if (child <= 0) {
      const int error = child < 0 ? errno : program.become();
      static_cast<void>(!write(kAnswer, &error, sizeof error));
      _exit(0);
    }
    close(kAnswer);
    const int status = wait_for_end(child);
    end_descendants();
    end_like(status);
  }

 private:
  static constexpr int kAnswer = 3;

  // Makes each the descriptor of its place, and closes all others: a copy of another program's pipe would keep whoever
  // reads that waiting. First they are moved to where no place is.
  static void take_over(std::array<int, kAnswer + 1> descriptors) {
    for (int& one : descriptors)
      if (one >= 0) one = fcntl(one, F_DUPFD_CLOEXEC, kAnswer + 1);
    for (int place = 0; place <= kAnswer; ++place)
      if (descriptors[static_cast<std::size_t>(place)] >= 0)
        dup2(descriptors[static_cast<std::size_t>(place)], place);
    fcntl(kAnswer, F_SETFD, FD_CLOEXEC);
    closefrom(kAnswer + 1);
  }

  int wait_for_end(pid_t child) {
    for (;;) {
      const int heard = sigwaitinfo(&heard_, nullptr);
      if (heard == kEndProgram) return SIGKILL;  // as the status of what that ended
      int status = 0;
      for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
        if (ended == child) return status;
    }
  }

  sigset_t heard_{};
  bool is_kept_ = false;
};

}  // namespace

KeptProgram::KeptProgram(const ProgramStart& start) : name_(start.command.front()) {
  const Texts arguments(start.command), variables(start.environment);
  auto [answer, answering] = make_pipe(name_);
  answer_ = std::move(answer);
  const pid_t owner = getpid();
  keeper_ = fork();
  if (keeper_ < 0) fail_to_start(name_, errno);
  if (keeper_ == 0) Keeper(owner, start, answering.number()).run({arguments, variables, start});
}

KeptProgram::~KeptProgram() {
  end();
  wait();
}

void KeptProgram::require_started(const std::string& answered) const {
  int error = 0;
  if (answered.size() == sizeof error) std::memcpy(&error, answered.data(), sizeof error);
  if (error != 0) fail_to_start(name_, error);
}

void KeptProgram::end() const noexcept {
  if (keeper_ > 0) kill(keeper_, kEndProgram);
}

int KeptProgram::wait() noexcept {
  if (keeper_ <= 0) return status_;
  while (waitpid(keeper_, &status_, 0) < 0 && errno == EINTR) {
  }
  keeper_ = 0;
  return status_;
}

std::pair<Descriptor, Descriptor> make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(program, errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace tailwave
