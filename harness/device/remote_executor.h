#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "device/executor.h"
#include "device/worker_process.h"

namespace tailwave {

// An executor inside a worker process, which may become unusable.
class WorkerExecutor : public Executor {
 public:
  // Once false, the worker is replaced by a fresh one.
  [[nodiscard]] virtual bool usable() const = 0;
};

// Runs in the worker. May throw Error or Failure.
using ExecutorFactory = std::function<std::unique_ptr<WorkerExecutor>()>;

class WorkerConnection;

// Hands every call to an executor in a worker process of its own. Whatever happens to that process (a sticky
// device error, a signal, a hang) ends as a Failure, and the next call finds a fresh process; buffers and programs
// made before then throw Failure(crashed) when used and are safe to destroy. load(), allocate(), upload(), copy() and
// fill() do not wait: the next call with a result throws what they failed with, and those in between are not done. Not
// for several threads at once; to be made before other threads start.
class RemoteExecutor : public Executor {
 public:
  // `isolated`: renew() ends the worker, so that what one configuration did to its process is not the next one's
  // trouble. Throws Error with the factory's message.
  explicit RemoteExecutor(const ExecutorFactory& factory, bool isolated = false);
  ~RemoteExecutor() override;

  [[nodiscard]] const DeviceDescription& description() const override;
  [[nodiscard]] std::string timer() const override;
  std::unique_ptr<Program> load(const Artifact& artifact) override;
  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override;
  std::unique_ptr<Buffer> allocate_on(int gpu, std::size_t size_bytes) override;
  void upload(Buffer& buffer, std::span<const std::byte> bytes) override;
  void download(const Buffer& buffer, std::span<std::byte> bytes) override;
  void copy(Buffer& to, const Buffer& from) override;
  void fill(Buffer& buffer, std::byte value) override;
  std::string guard_damage(const Buffer& buffer) override;
  LaunchTrace trace(Program& program, const Launch& launch) override;
  double copy_bandwidth() override;
  RunResult run(Program& program, std::span<const Launch> launches, const RunOptions& options) override;
  std::vector<RunResult> run_fresh(Program& program, const FreshStart& start,
                                   std::span<const Launch> launches, const RunOptions& options,
                                   int times) override;
  Readings run_and_read(Program& program, const ReadingRun& reading) override;
  std::string renew() override;
  // Done while the worker does a run_fresh() that probably takes a while, or anything that does. Not for a worker whose
  // kernels run on the CPU: they would share a core with it.
  void set_meanwhile(const std::function<bool()>& work) override;

  // A worker that has not answered what runs a program kRunGraceS after the deadline, or any other call within the
  // limit for calls, is killed: Failure(timeout). The deadline is passed on to the worker's executor, which may end a
  // run at it with better words.
  void set_deadline_s(double seconds) override;
  void set_call_limit_s(double seconds);
  static constexpr double kDefaultDeadlineS = 120, kDefaultCallLimitS = 120, kRunGraceS = 2;

  // Polled while a worker works. Once it is true, a worker that does not answer within kCancelGraceS is killed:
  // Cancelled.
  void set_cancelled(std::function<bool()> cancelled);
  static constexpr double kCancelGraceS = 1;

  // The process that works, -1 when there is none at the moment.
  [[nodiscard]] pid_t worker() const;

 private:
  std::shared_ptr<WorkerConnection> connection_;
  bool isolated_;
  double run_s_ = 0;  // wall-clock time of the latest run of run_fresh()
};

}  // namespace tailwave
