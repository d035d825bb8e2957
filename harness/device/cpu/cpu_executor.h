#pragma once

#include <memory>
#include <string>

#include "device/cpu/cache_walk.h"
#include "device/cpu/grid_runner.h"
#include "device/executor.h"

namespace tailwave {

struct PreparedOnCpu;

// Runs templates and host variants on this machine's cores. Streams run in the order of their launches, and a graph is
// run as its launches. Use one thread at a time. What a kernel does to memory it does to this process: an access far
// out of bounds ends it.
class CpuExecutor final : public Executor {
 public:
  // 0: all cores that the process may use.
  explicit CpuExecutor(int cores = 0);

  void set_deadline_s(double /*seconds*/) override {}  // it cannot interrupt a kernel: another process does
  // In blocks; host functions tell nothing.
  void report_progress(std::atomic<double>* share) override;

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }

  std::unique_ptr<Program> load(const Artifact& artifact) override;
  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override;

  // Nothing is set apart: a launch that asks for SMs has at most so many cores.
  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override;

  // The CPU stands for all GPUs.
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override;
  using Executor::upload;
  void upload(Buffer& buffer, const Produce& produce) override;
  void restore(std::span<const Restoration> restored) override;
  std::vector<std::string> read(const Reading& reading) override;

  LaunchTrace trace(Program& program, const Launch& launch, const NotedEntry& noted) override;
  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override;

 private:
  void execute(PreparedOnCpu& launch);
  RunResult run_once(Program& program, std::span<const Launch> launches, const RunOptions& options);

  GridRunner grids_;
  std::uint64_t blocks_before_ = 0, blocks_to_run_ = 0;  // of the run at hand
  CacheWalk cache_walk_;
  DeviceDescription description_;
};

}  // namespace tailwave
