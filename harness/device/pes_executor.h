#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/executor.h"
#include "device/pe_message.h"
#include "device/pe_server.h"
#include "device/pes_recorder.h"
#include "device/worker_process.h"

namespace tailwave {

// A device that several processing elements are together: processes with a GPU each, which do all that it is asked for
// alike (Executor::use_pes). It touches no GPU itself. It has to be made before other threads start, and before its
// process confines itself.
//
// - A time is the longest of all, the rest of a result that of the first one.
// - What one of them fails with is told with its number ("PE 1: ..."). Then all of them are ended, unless all have no
//   more memory: what they share is not known any more. What is asked afterwards fails likewise, until use_pes().
// - One that dies is Failure(crashed), one that does not answer in time Failure(timeout).
class PesExecutor final : public Executor {
 public:
  // Of so many GPUs at most, the first of which is as described.
  PesExecutor(DeviceDescription description, int gpus, PeEntry entry);
  ~PesExecutor() override;

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] int pes() const override { return pes_; }
  void use_pes(int pes) override;

  std::unique_ptr<Program> load(const Artifact& artifact) override;
  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override;
  std::vector<std::optional<int>> active_clusters(Program& program,
                                                  std::span<const Launch> launches) override;
  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override;
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override;
  using Executor::upload;
  void upload(Buffer& buffer, const Produce& produce) override;
  void restore(std::span<const Restoration> restored) override;
  std::vector<std::string> read(const Reading& reading) override;
  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override;
  // Record what all of them do, where their GPUs were opened for that, and count nothing.
  CounterSource& counters() override { return recorder_; }
  void set_deadline_s(double seconds) override { deadline_s_ = seconds; }

  // Something that each of them has under a number.
  void forget(PeRequest what, std::uint64_t number) noexcept;

  // See CounterSource::record. Where `work` throws, all of them are ended.
  std::vector<Activity> record(const std::function<void()>& work);

 private:
  struct Trouble {
    Outcome outcome;
    std::string text;
  };
  [[nodiscard]] WorkerProcess& process(int pe) const { return *processes_[static_cast<std::size_t>(pe)]; }
  void start(int pes);
  // Puts the same question to all of them, or one of its own to each, and gives their answers behind PeAnswer.
  std::vector<Packet> ask_all(const Packet& request, double limit_s);
  std::vector<Packet> ask_each(const std::vector<Packet>& requests, double limit_s);
  Packet ask_first(const Packet& request, double limit_s);
  std::vector<std::optional<int>> ask_of_launches(PeRequest what, Program& program,
                                                  std::span<const Launch> launches);
  void tell(int pe, const Packet& request);
  // Of those that have been asked something.
  std::vector<Packet> answers_of(const std::vector<int>& asked, double limit_s);
  std::optional<Trouble> take_answer(int pe, Packet& answer);
  Trouble death_of(int pe);
  [[noreturn]] void fail(Trouble trouble);
  void require_alive() const;
  void end_all() noexcept;
  void end_by_force() noexcept;

  DeviceDescription description_;
  PeEntry entry_;
  std::vector<std::unique_ptr<WorkerProcess>> processes_;  // one for each GPU
  int pes_ = 0;
  std::uint64_t last_number_ = 0;
  double deadline_s_ = 0;
  std::optional<Trouble> trouble_;  // that ended the processing elements
  PesRecorder recorder_{*this};
};

}  // namespace tailwave
