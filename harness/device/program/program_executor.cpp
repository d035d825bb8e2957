#include "device/program/program_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "core/temporary_folder.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/cpu_executor.h"
#include "device/program/report.h"

namespace tailwave {
namespace {
namespace fs = std::filesystem;

class OwnProgram : public Program {
 public:
  explicit OwnProgram(const Artifact& artifact)
      : file_(artifact.file), reports_(artifact.kind == Artifact::Kind::reporting_program) {}

  [[nodiscard]] std::vector<std::string> command_of(const Launch& launch) const {
    std::vector<std::string> command;
    for (const CommandWord& word : launch.command) command.push_back(word.text(file_, file_));
    return command;
  }
  [[nodiscard]] bool reports() const { return reports_; }

 private:
  fs::path file_;
  bool reports_;
};

void write_elements(const fs::path& file, std::span<const std::byte> elements) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(elements.data()), static_cast<std::streamsize>(elements.size()));
  stream.close();
  if (!stream)
    throw Failure(Outcome::launch_failed,
                  fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

// What a program left in a file, which nothing but a file of that size is.
void read_elements(const fs::path& file, std::span<std::byte> elements, const std::string& program) {
  const auto refuse = [&](const std::string& what) {
    throw Failure(Outcome::wrong_result, fmt::format("'{}' left {}", program, what));
  };
  const std::string name = file.filename().string();
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (opened.number() < 0 || fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse(fmt::format("no file {}", name));
  if (static_cast<std::size_t>(status.st_size) != elements.size())
    refuse(fmt::format("{} bytes in {}, which has {}", status.st_size, name, elements.size()));
  for (std::size_t done = 0; done < elements.size();) {
    const ssize_t count = ::read(opened.number(), elements.data() + done, elements.size() - done);
    if (count <= 0) refuse(fmt::format("{}, which cannot be read", name));
    done += static_cast<std::size_t>(count);
  }
}

// The end of what it printed, where the reason of a failure is: the last line first, since tables show one.
std::string last_words(const std::string& output) {
  constexpr std::size_t kMostWords = 2000;
  const std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const std::string printed = output.substr(0, end + 1);
  const std::size_t line = printed.find_last_of('\n') + 1;  // 0 where there is one line
  if (line == 0 && printed.size() <= kMostWords) return ": " + printed;
  const bool is_long = printed.size() > kMostWords;
  const std::string all = is_long ? "..." + printed.substr(printed.size() - kMostWords) : printed;
  return ": " + (line == 0 ? "" : printed.substr(line, kMostWords)) + "\n" + all;
}

void require_success(const ProcessResult& result, const std::string& program, double deadline_s) {
  if (result.timed_out)
    throw Failure(Outcome::timeout, fmt::format("'{}' took longer than {:g} s", program, deadline_s));
  if (result.signal != 0)
    throw Failure(Outcome::crashed, fmt::format("'{}'{}{} ({}){}", program, kEndedBySignal, result.signal,
                                                strsignal(result.signal), last_words(result.output)));
  if (result.exit_status != 0)
    throw Failure(Outcome::crashed, fmt::format("'{}'{}{}{}", program, kEndedWithStatus, result.exit_status,
                                                last_words(result.output)));
}

std::vector<std::byte> contents_of(Executor& memory, const Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.size_bytes());
  memory.download(buffer, bytes);
  return bytes;
}

}  // namespace

ProgramExecutor::ProgramExecutor(std::unique_ptr<Executor> memory, DeviceDescription device,
                                 std::string obstacle)
    : memory_(std::move(memory)), device_(std::move(device)), obstacle_(std::move(obstacle)) {}

std::unique_ptr<Program> ProgramExecutor::load(const Artifact& artifact) {
  if (!is_program(artifact.kind)) throw Failure(Outcome::launch_failed, "no program to be run as a process");
  if (!obstacle_.empty()) throw Failure(Outcome::unavailable, obstacle_);
  return std::make_unique<OwnProgram>(artifact);
}

std::vector<std::optional<int>> ProgramExecutor::blocks_per_sm(Program& /*program*/,
                                                               std::span<const Launch> launches) {
  return std::vector<std::optional<int>>(launches.size());
}

std::vector<std::optional<int>> ProgramExecutor::granted_sms(std::span<const Launch> launches) {
  return std::vector<std::optional<int>>(launches.size());
}

std::unique_ptr<Buffer> ProgramExecutor::allocate_at(const Placement& /*place*/, std::size_t size_bytes) {
  return memory_->allocate_at({}, size_bytes);
}

std::vector<RunResult> ProgramExecutor::repeat(Program& program, const FreshStart& start,
                                               std::span<const Launch> launches, const RunOptions& options,
                                               int times) {
  require_valid(options, launches);
  if (options.flush_cache)
    throw Failure(Outcome::unavailable, "a program is timed as a process, before which no cache is emptied");
  std::vector<RunResult> results;
  for (int i = 0; i < times; ++i) {
    memory_->restore(start.of_run(i));
    if (!start.prepare.empty()) run_plans(program, start.prepare, {.timed = false});
    RunResult& result = results.emplace_back(run_plans(program, launches, options));
    result.time_ns /= options.executions;
  }
  return results;
}

// The time is the sum of all executions.
RunResult ProgramExecutor::run_plans(const Program& program, std::span<const Launch> launches,
                                     const RunOptions& options) {
  RunResult sum;
  for (int execution = 0; execution < options.executions; ++execution) {
    walk_plan(plan_of(launches, options, execution), [&](const Launch& launch) {
      run_launch(program, launch, options.timed, sum);
      return launch.exit && leaves(*launch.exit, contents_of(*memory_, *launch.exit->buffer));
    });
  }
  return sum;
}

void ProgramExecutor::run_launch(const Program& program, const Launch& launch, bool timed, RunResult& sum) {
  const auto& own = dynamic_cast<const OwnProgram&>(program);
  const TemporaryFolder folder("tailwave-program-");
  for (std::size_t i = 0; i < launch.files.size(); ++i)
    write_elements(folder.path() / launch.files[i],
                   contents_of(*memory_, *std::get<Buffer*>(launch.arguments[i])));
  const std::chrono::duration<double> limit(deadline_s_);
  ProcessResult result;
  try {
    result = run_process(own.command_of(launch), std::chrono::duration_cast<std::chrono::milliseconds>(limit),
                         {}, folder.path());
  } catch (const Error& error) {
    throw Failure(Outcome::launch_failed, error.what());
  }
  std::fwrite(result.output.data(), 1, result.output.size(), stdout);  // is kept as what the code printed
  require_success(result, launch.kernel, deadline_s_);
  for (std::size_t i = 0; i < launch.files.size(); ++i) {
    Buffer& buffer = *std::get<Buffer*>(launch.arguments[i]);
    std::vector<std::byte> left(buffer.size_bytes());
    read_elements(folder.path() / launch.files[i], left, launch.kernel);
    memory_->upload(buffer, left);
  }
  if (!timed) return;
  ProgramReport report;
  if (own.reports() || !launch.reports.empty())
    report = read_report(result.output, launch.kernel, result.seconds, launch.reports);
  sum.time_ns += 1e9 * (own.reports() ? reported_time_s(report, launch.kernel) : result.seconds);
  for (auto& [name, number] : report.numbers) sum.reported[name] = std::move(number);
}

ExecutorFactory program_device(const DeviceDescription& device, int cores, const std::string& obstacle) {
  return [=]() -> std::unique_ptr<Executor> {
    if (device.kind == DeviceKind::cpu)
      return std::make_unique<ProgramExecutor>(cpu_device(cores)(), device, obstacle);
    setenv("CUDA_VISIBLE_DEVICES", device.uuid.c_str(), 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // as cpu_device()
    return std::make_unique<ProgramExecutor>(std::make_unique<CpuExecutor>(), device, obstacle);
  };
}

}  // namespace tailwave
