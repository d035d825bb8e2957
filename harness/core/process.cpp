#include "core/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/descendants.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/sandbox.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

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

// A program, and what a process does before it becomes it. Its output goes where that of the process does.
struct Program {
  const Texts& command;
  const Texts& environment;
  const std::filesystem::path& folder;

  // Returns only where it cannot: the number of the error.
  [[nodiscard]] int become() const {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!folder.empty() && chdir(folder.c_str()) != 0) return errno;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
      return errno;
    try {
      enter_sandbox_of_programs();
    } catch (const std::exception&) {
      return EPERM;
    }
    execvpe(command.data()[0], command.data(), environment.data());
    return errno;
  }
};

std::vector<std::string> environment_in_english(const std::vector<std::string>& without) {
  std::vector<std::string> environment{"LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name != "LC_ALL" && std::find(without.begin(), without.end(), name) == without.end())
      environment.emplace_back(text);
  }
  return environment;
}

// Who writes without end is not to take the memory of this machine.
constexpr std::size_t kMostOutput = std::size_t{256} << 20;

// Reads until the other end closes; false when the time is up.
bool read_all(int descriptor, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited{descriptor, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return true;
    if (count > 0)
      text.append(chunk.data(), std::min(static_cast<std::size_t>(count), kMostOutput - text.size()));
    if (count < 0 && errno != EINTR) return true;
  }
}

// The status as waitpid() has it.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

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

constexpr int kEndIt = SIGUSR1;  // to a keeper

// The process between this one and the program: a parent that ends all that the program has started when the program
// has ended, and all of it at once when the owner says so or dies.
class Keeper {
 public:
  // `answer`: gets the number of the error for which the program could not be started.
  Keeper(pid_t owner, int output, int answer) {
    setpgid(0, 0);
    sigemptyset(&heard_);
    for (const int signal : {SIGCHLD, kEndIt}) {
      std::signal(signal, SIG_DFL);  // one that is ignored is not heard either
      sigaddset(&heard_, signal);
    }
    sigset_t blocked = heard_;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);  // the owner decides
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    // A copy of another program's pipe would keep whoever reads that waiting.
    dup2(output, STDOUT_FILENO);
    fcntl(STDOUT_FILENO, F_SETFD, 0);
    if (answer != kAnswer) dup2(answer, kAnswer);
    fcntl(kAnswer, F_SETFD, FD_CLOEXEC);
    closefrom(kAnswer + 1);
    is_kept_ = adopt_descendants(owner, kEndIt);
  }

  [[noreturn]] void run(const Program& program) {
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

  int wait_for_end(pid_t child) {
    for (;;) {
      const int heard = sigwaitinfo(&heard_, nullptr);
      if (heard == kEndIt) return SIGKILL;  // as the status of what that ended
      int status = 0;
      for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
        if (ended == child) return status;
    }
  }

  sigset_t heard_{};
  bool is_kept_ = false;
};

std::pair<Descriptor, Descriptor> make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(program, errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                          const std::vector<std::string>& without, const std::filesystem::path& folder) {
  const std::vector<std::string> environment = environment_in_english(without);
  const Texts arguments(command), variables(environment);
  auto [reading, writing] = make_pipe(command.front());
  auto [answer, answering] = make_pipe(command.front());
  const pid_t owner = getpid();
  const pid_t keeper = fork();
  if (keeper < 0) fail_to_start(command.front(), errno);
  if (keeper == 0) Keeper(owner, writing.number(), answering.number()).run({arguments, variables, folder});
  const auto start = Clock::now();
  writing.close();
  answering.close();

  int error = 0;
  std::string answered;
  const auto deadline = Clock::now() + timeout;
  ProcessResult result;
  result.timed_out =
      !read_all(answer.number(), deadline, answered) || !read_all(reading.number(), deadline, result.output);
  if (result.timed_out) kill(keeper, kEndIt);
  const int status = wait_for(keeper);
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_status = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (answered.size() == sizeof error) std::memcpy(&error, answered.data(), sizeof error);
  if (error != 0) fail_to_start(command.front(), error);
  return result;
}

}  // namespace tailwave
