#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/repetition.h"
#include "measure/sampler.h"
#include "measure/workspace.h"

namespace tailwave {

// A repetition's code and memory on a device, and what is done with them. All throw Failure.
class Bench {
 public:
  // All are kept by reference; `examiner` may be null.
  Bench(DeviceData& data, Examiner* examiner, Watch& watch, const Repetition& wanted);

  // The configuration's problem, but for these quantities, is what the following is about.
  void use(const Values& other_quantities) { use(other_quantities, wanted_.inputs); }
  void use(const Values& other_quantities, const MadeInputs& inputs);

  void ask_driver(RepetitionResult& result) const;
  [[nodiscard]] bool is_program() const { return variant_.is_program(); }

  // One execution that is no sample. Its times are without the part `finish`.
  struct Execution {
    double run_s = 0;     // wall-clock time, with what prepares it
    double least_ns = 0;  // its own, without waits for other programs; 0 where it was not timed
  };
  Execution execute(std::uint64_t draw, bool timed = false);

  // Every run begins with inputs that the code has never seen, but for one sample that is looked at, which begins with
  // those of the draw: which, is random. It is none where a sample is several executions: they do not leave what one
  // does.
  Sampling take_samples(const Step& step, std::size_t number, double run_s);
  // At what a sample left, or, where what ran last did not begin with the inputs of the draw, an execution that is done
  // like a sample.
  Look look_at_samples(std::uint64_t draw, std::size_t number, bool left_by_draw);

  Look look(std::size_t number) { return look(number, wanted_.results); }
  Look look(std::size_t number, const std::vector<std::string>& results);
  // Empty, or which buffer's guard words were overwritten and how.
  [[nodiscard]] std::string damage() { return read({}); }

  // What measure/back_to_back.h needs.
  [[nodiscard]] const Repetition& wanted() const { return wanted_; }
  [[nodiscard]] const DeviceDescription& device() const { return device_.description(); }
  [[nodiscard]] const Workspace& workspace() const { return *workspace_; }
  void use_sets(int sets) { workspace_->use_sets(sets); }
  // After the device had no memory for more of them. False if it cannot go on at all.
  [[nodiscard]] bool go_on_with_one_set();
  [[nodiscard]] FreshStart fresh_start(std::uint64_t draw, int sets) const;
  // Of all executions of a run that begins with inputs which the code has never seen.
  double time_ns(FreshStart& start, std::span<const Launch> launches, const RunOptions& options);
  std::vector<RunResult> repeat(const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times);

 private:
  using Contents = std::vector<std::pair<const Buffer*, std::span<std::byte>>>;

  void use_pes(int pes);
  void finish();
  std::vector<RunResult> run_samples(FreshStart& start, int runs, int others);
  void begin_with_others(FreshStart& start, int runs);
  [[nodiscard]] std::string read(Contents contents);
  void take(const std::string& name, Look& look, Contents& contents);
  bool examine(std::size_t number, const std::vector<Examiner::Shared>& shared, Look& look);

  Executor& device_;
  DeviceData& data_;
  Examiner* examiner_;
  Watch& watch_;
  const Repetition& wanted_;
  const VariantSpec variant_;
  std::unique_ptr<Program> program_;
  std::optional<Workspace> workspace_;
  Values other_quantities_;  // of the workspace
  RunOptions options_;       // of samples
  std::optional<Look> look_at_sample_;
  std::uint64_t others_;  // what draws that nobody has used are made of
};

}  // namespace tailwave
