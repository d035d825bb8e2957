#pragma once

#include <memory>
#include <string>

#include "device/executor.h"

namespace tailwave {

// Runs programs of the user's own, each launch as a process (Launch::command). It starts in a folder of its own, in which
// the buffers that the command names lie as files, NAME.bin with the elements as they lie in memory; what it leaves in them
// is what the buffers then hold. All else in the folder goes.
//
// The time of a launch is that from before the process is started until it and all that it started have ended: files are
// written before and read after it. Of an Artifact::Kind::reporting_program it is what it
// reports (device/program/report.h), and what else that has is RunResult::reported: of several launches and executions the last
// that says it. Streams run in the order of their launches, and a graph as its launches.
//
// Failures besides those of Executor: crashed, for a program that ends with another status than 0 or by a signal;
// wrong_result, for a file that is not there or has another size afterwards; unavailable, for a cold cache.
class ProgramExecutor final : public Executor {
 public:
  // `memory` has the buffers, in this process; `device` is what the programs use. Where there is an `obstacle` every
  // program is unavailable for that reason.
  ProgramExecutor(std::unique_ptr<Executor> memory, DeviceDescription device, std::string obstacle = "");

  [[nodiscard]] const DeviceDescription& description() const override { return device_; }
  std::unique_ptr<Program> load(const Artifact& artifact) override;
  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override;
  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override;
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override;
  using Executor::upload;
  void upload(Buffer& buffer, const Produce& produce) override { memory_->upload(buffer, produce); }
  void restore(std::span<const Restoration> restored) override { memory_->restore(restored); }
  std::vector<std::string> read(const Reading& reading) override { return memory_->read(reading); }
  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override;
  void set_deadline_s(double seconds) override { deadline_s_ = seconds; }  // of a process

 private:
  RunResult run_plans(const Program& program, std::span<const Launch> launches, const RunOptions& options);
  void run_launch(const Program& program, const Launch& launch, bool timed, RunResult& sum);

  std::unique_ptr<Executor> memory_;
  DeviceDescription device_;
  std::string obstacle_;
  double deadline_s_ = 3600;
};

// Opens one in a worker process: beside a GPU, which is the only one that its programs see, or on the CPU's cores (`cores`
// as of cpu_device()). The process is confined as code that uses a GPU, or as code on the CPU. `obstacle`: see
// ProgramExecutor.
ExecutorFactory program_device(const DeviceDescription& device, int cores, const std::string& obstacle = "");

}  // namespace tailwave
