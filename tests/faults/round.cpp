#include "faults/round.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "core/random.h"
#include "core/stopwatch.h"
#include "fakes/database_lock.h"
#include "faults/processes.h"
#include "faults/project.h"
#include "faults/records.h"

namespace tailwave::faults {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestRunS = 60, kLongestEndS = 10;
constexpr int kLockWaitMs = 50;

// Whom a signal reaches: the run itself, one of its processes by how far below it is, or who compiles.
enum class Aim { coordinator, origin, helper, worker, compile_process, compiler };

struct Fault {
  enum class Kind { signal, files, size, lock, clock };
  Kind kind = Kind::signal;
  const char* name = "";
  int number = 0;  // a signal, or what a call sets errno to
  Aim aim = Aim::coordinator;
  bool cold = false;      // nothing is in the cache
  const char* part = "";  // of the paths of files
};

constexpr std::array kFaults{
    Fault{.name = "SIGKILL to the run", .number = SIGKILL},
    Fault{.name = "SIGTERM to the run", .number = SIGTERM},
    Fault{.name = "SIGHUP to the run", .number = SIGHUP},
    Fault{.name = "SIGINT to the run", .number = SIGINT},
    Fault{.name = "SIGSTOP to the run", .number = SIGSTOP},
    Fault{.name = "SIGKILL to an origin", .number = SIGKILL, .aim = Aim::origin},
    Fault{.name = "SIGTERM to an origin", .number = SIGTERM, .aim = Aim::origin},
    Fault{.name = "SIGSTOP to an origin", .number = SIGSTOP, .aim = Aim::origin},
    Fault{.name = "SIGKILL to a helper", .number = SIGKILL, .aim = Aim::helper},
    Fault{.name = "SIGHUP to a helper", .number = SIGHUP, .aim = Aim::helper},
    Fault{.name = "SIGSTOP to a helper", .number = SIGSTOP, .aim = Aim::helper},
    Fault{.name = "SIGKILL to a worker", .number = SIGKILL, .aim = Aim::worker},
    Fault{.name = "SIGTERM to a worker", .number = SIGTERM, .aim = Aim::worker},
    Fault{.name = "SIGSTOP to a worker", .number = SIGSTOP, .aim = Aim::worker},
    Fault{.name = "SIGKILL to the run that compiles", .number = SIGKILL, .cold = true},
    Fault{.name = "SIGTERM to the run that compiles", .number = SIGTERM, .cold = true},
    Fault{
        .name = "SIGKILL to a compile process", .number = SIGKILL, .aim = Aim::compile_process, .cold = true},
    Fault{
        .name = "SIGSTOP to a compile process", .number = SIGSTOP, .aim = Aim::compile_process, .cold = true},
    Fault{.name = "SIGKILL to a compiler", .number = SIGKILL, .aim = Aim::compiler, .cold = true},
    Fault{.name = "SIGTERM to a compiler", .number = SIGTERM, .aim = Aim::compiler, .cold = true},
    Fault{.name = "SIGSTOP to a compiler", .number = SIGSTOP, .aim = Aim::compiler, .cold = true},
    Fault{.kind = Fault::Kind::files,
          .name = "ENOSPC of the database",
          .number = ENOSPC,
          .part = "tailwave.db"},
    Fault{.kind = Fault::Kind::files, .name = "EIO of the database", .number = EIO, .part = "tailwave.db"},
    Fault{.kind = Fault::Kind::files,
          .name = "ENOSPC of the cache",
          .number = ENOSPC,
          .cold = true,
          .part = "/cache/"},
    Fault{.kind = Fault::Kind::files,
          .name = "EIO of the cache",
          .number = EIO,
          .cold = true,
          .part = "/cache/"},
    Fault{.kind = Fault::Kind::files,
          .name = "ENOSPC of temporary files",
          .number = ENOSPC,
          .cold = true,
          .part = "/tmp/tailwave-"},
    Fault{.kind = Fault::Kind::size, .name = "a full disk"},
    Fault{.kind = Fault::Kind::lock, .name = "a locked database"},
    Fault{.kind = Fault::Kind::clock, .name = "a clock that jumps"},
    Fault{.kind = Fault::Kind::clock,
          .name = "a clock that jumps, and SIGKILL to a worker",
          .number = SIGKILL,
          .aim = Aim::worker}};

class Round {
 public:
  Round(const Subject& subject, std::uint64_t seed, int number)
      : subject_(subject),
        random_(split_mix(seed) + static_cast<std::uint64_t>(number)),
        fault_(kFaults[static_cast<std::size_t>(number) % kFaults.size()]),
        folder_(subject.folder / fmt::format("round{}", number)) {}

  RoundResult play() {
    write_project(folder_ / "project", !fault_.cold);
    fs::create_directories(temporary_files());
    result_.fault = fault_.name;
    result_.wrong = go_through();
    if (result_.wrong.empty())
      fs::remove_all(folder_);
    else
      result_.wrong += fmt::format(" (see {})", folder_.string());
    return std::move(result_);
  }

 private:
  std::string go_through() {
    const pid_t run = start(command("first.log", true));
    sleep_ms(random_.uniform() * (fault_.cold ? subject_.cold_ms : subject_.warm_ms));
    const Records before = read_records(database());
    strike(run);
    int status = 0;
    if (!wait_for(run, kLongestRunS, status)) return "the run does not end";
    if (const std::string how = odd_end(status); !how.empty()) return how;
    if (const std::string left = orphans(kLongestEndS); !left.empty()) return "processes are left: " + left;
    if (const std::string left = leftovers(); !left.empty()) return "a temporary file is left: " + left;
    const Records between = read_records(database());
    if (const std::string gone = lost(before, between); !gone.empty()) return "after the fault " + gone;
    if (!wait_for(start(command("second.log", false)), kLongestRunS, status))
      return "the run after it does not end";
    if (status != 0) return "the run after it fails: " + tail_of("second.log");
    if (const std::string left = orphans(kLongestEndS) + leftovers(); !left.empty())
      return "the run after it leaves " + left;
    if (const std::string gone = lost(between, read_records(database())); !gone.empty())
      return "after the next run " + gone;
    return wrong_at_the_end(database(), kConfigurations);
  }

  [[nodiscard]] fs::path database() const { return folder_ / "project/results/tailwave.db"; }
  [[nodiscard]] fs::path temporary_files() const { return folder_ / "tmp"; }

  Command command(const std::string& log, bool with_fault) {
    Command command{
        .words = {subject_.tailwave.string(), "run", kSpec, "--device", subject_.device, "--quiet"},
        .environment = {{"TMPDIR", temporary_files()},
                        {"TAILWAVE_CACHE", fault_.cold ? folder_ / "cache" : subject_.cache}},
        .folder = folder_ / "project",
        .output = folder_ / log};
    if (with_fault) prepare(command);
    return command;
  }

  // What has to be known to the run before it begins. Its calls on the database are some hundreds.
  void prepare(Command& command) {
    constexpr std::uint32_t kMostCalls = 150, kMostKiB = 400, kOneIn = 3;
    constexpr long kDayS = 86'400, kMostDays = 4'000;
    if (fault_.kind == Fault::Kind::files) {
      const std::uint32_t first = 1 + random_.below(fault_.cold ? kMostCalls / 4 : kMostCalls);
      const std::uint32_t last = random_.below(kOneIn) == 0 ? INT_MAX : first + random_.below(kOneIn);
      command.environment["FAULTS_FILES"] =
          fmt::format("{},{},{},{}", fault_.number, first, last, fault_.part);
      result_.fault +=
          fmt::format(", calls {} to {}", first, last == INT_MAX ? "the last" : std::to_string(last));
      result_.struck = true;
    } else if (fault_.kind == Fault::Kind::clock) {
      const long after_ms = static_cast<long>(random_.uniform() * subject_.warm_ms);
      const long by_s = (static_cast<long>(random_.uniform() * 2 * kMostDays) - kMostDays) * kDayS + 1;
      command.environment["FAULTS_CLOCK"] = fmt::format("{},{}", after_ms, by_s);
      result_.fault += fmt::format(", by {} days after {} ms", by_s / kDayS, after_ms);
      result_.struck = true;
    } else if (fault_.kind == Fault::Kind::size) {
      command.file_limit_bytes = (1 + random_.below(kMostKiB)) * 1024UL;
      result_.fault += fmt::format(", files of {} KiB", command.file_limit_bytes / 1024);
      result_.struck = true;
    } else if (fault_.kind == Fault::Kind::lock) {
      command.environment["TAILWAVE_LOCK_WAIT_MS"] = std::to_string(kLockWaitMs);
    }
    if (fault_.kind == Fault::Kind::files || fault_.kind == Fault::Kind::clock)
      command.environment["LD_PRELOAD"] = subject_.shim;
  }

  void strike(pid_t run) {
    if (fault_.kind == Fault::Kind::lock) return lock_database();
    if (fault_.number == 0 || fault_.kind == Fault::Kind::files) return;
    constexpr double kMostStoppedMs = 100;
    const std::optional<pid_t> target = wait_for_target(run);
    if (!target || kill(*target, fault_.number) != 0) return;
    result_.struck = true;
    if (fault_.number != SIGSTOP) return;
    sleep_ms(random_.uniform() * kMostStoppedMs);
    kill(*target, SIGCONT);
  }

  // Nothing where the run ends before there is one.
  std::optional<pid_t> wait_for_target(pid_t run) {
    siginfo_t state{};
    while (waitid(P_PID, static_cast<id_t>(run), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid == 0) {
      const std::vector<pid_t> targets = targets_of(run);
      if (!targets.empty()) return targets[random_.below(static_cast<std::uint32_t>(targets.size()))];
      sleep_ms(1);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<pid_t> targets_of(pid_t run) const {
    switch (fault_.aim) {
      case Aim::coordinator:
        return {run};
      case Aim::origin:
        return below(run, 1);
      case Aim::helper:
        return below(run, 2);
      case Aim::worker:
        return below(run, 3);
      case Aim::compiler:
        return below(run, 4);
      case Aim::compile_process:
        break;
    }
    std::vector<pid_t> busy;
    for (const pid_t worker : below(run, 3))
      if (!below(worker, 1).empty()) busy.push_back(worker);
    return busy;
  }

  // Longer than the run waits.
  void lock_database() {
    try {
      const fakes::DatabaseLock lock(database());
      result_.struck = true;
      sleep_ms(4 * kLockWaitMs);
    } catch (const std::runtime_error&) {
      // There is none yet, or somebody writes at the moment.
    }
  }

  // The run may say what ails it; it may not die of it.
  [[nodiscard]] std::string odd_end(int status) const {
    const bool by_us = fault_.kind == Fault::Kind::signal && fault_.aim == Aim::coordinator;
    if (WIFSIGNALED(status) && !(by_us && WTERMSIG(status) == fault_.number))
      return fmt::format("the run died of signal {}: {}", WTERMSIG(status), tail_of("first.log"));
    return "";
  }

  // Somebody else removes them where the run was killed.
  [[nodiscard]] std::string leftovers() const {
    const auto begun = std::chrono::steady_clock::now();
    while (!fs::is_empty(temporary_files())) {
      if (seconds_since(begun) > kLongestEndS)
        return fs::directory_iterator(temporary_files())->path().string();
      sleep_ms(1);
    }
    return "";
  }

  [[nodiscard]] std::string tail_of(const std::string& log) const {
    constexpr std::size_t kMost = 1000;
    std::ostringstream text;
    text << std::ifstream(folder_ / log).rdbuf();
    const std::string all = text.str();
    return all.size() > kMost ? all.substr(all.size() - kMost) : all;
  }

  const Subject& subject_;
  Generator random_;
  const Fault& fault_;
  fs::path folder_;
  RoundResult result_;
};

}  // namespace

RoundResult play_round(const Subject& subject, std::uint64_t seed, int number) {
  return Round(subject, seed, number).play();
}

double time_run(const Subject& subject, bool cold) {
  const fs::path folder = subject.folder / "timed", cache = cold ? folder / "cache" : subject.cache;
  const int runs = cold ? 1 : 4;  // the first of them fills the cache
  double least_ms = 0;
  for (int number = 0; number < runs; ++number) {
    write_project(folder / "project", !cold);
    const auto begun = std::chrono::steady_clock::now();
    int status = 0;
    const pid_t run =
        start({.words = {subject.tailwave.string(), "run", kSpec, "--device", subject.device, "--quiet"},
               .environment = {{"TAILWAVE_CACHE", cache}},
               .folder = folder / "project",
               .output = folder / "log"});
    if (!wait_for(run, kLongestRunS, status) || status != 0)
      throw std::runtime_error(fmt::format("a run without faults fails: see {}", (folder / "log").string()));
    const double ms = seconds_since(begun) * 1e3;
    least_ms = number == 0 ? ms : std::min(least_ms, ms);
    fs::remove_all(folder);
  }
  return least_ms;
}

}  // namespace tailwave::faults
