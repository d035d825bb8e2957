#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/artifact.h"
#include "measure/python_reference.h"
#include "measure/reference_cache.h"
#include "measure/worker.h"
#include "spec/experiment.h"

namespace tailwave {

// Where a reference that is a cuda variant runs.
enum class ReferencePlace {
  automatic,  // on the CPU where both draws take an estimated 10 s at most, else on the GPU
  cpu,
  gpu,
};

// What computes references. Not owned; null: not there. No worker has anything of what is measured in its process.
struct ReferenceTools {
  Compiler* host_compiler = nullptr;  // of host variants
  Compiler* cpu_kernels = nullptr;    // makes cuda variants run where host variants do
  Compiler* kernels = nullptr;        // the same for `gpu`
  Worker* cpu = nullptr;
  Worker* gpu = nullptr;
  ReferencePlace place = ReferencePlace::automatic;
  std::optional<Python> python;            // where a system's reference is in it
  ReferenceCache kept = ReferenceCache();  // on disk
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // what takes long
  // Compiler::build, perhaps in another process.
  std::function<Artifact(Compiler&, const BuildRequest&)> build =
      [](Compiler& compiler, const BuildRequest& request) { return compiler.build(request); };
  // Further configurations of a system whose only reference is one of its own configurations, to be held against that.
  std::function<std::vector<Configuration>(const System& system, const Values& problem)> others;
};

// What the reference makes of the inputs, computed once per problem and draw while the results are among the
// latest. A host variant runs on the CPU. A cuda variant that a manifest names runs on the run's GPU, if there is
// one, in a process of its own. A function in Python is called below the CPU's worker, and stored results are read. A T1 file has nothing but configurations of one kernel: its default configuration is
// executed on the CPU, an implementation of CUDA that shares no hardware, driver or compiler with a GPU; where that
// would take long or fails, on the GPU, and then a second configuration with other code has to agree before it counts
// (of three, two): a verification then says that a configuration agrees with others of its kind; Expected::weakness
// tells.
//
// What was made, but for such weak results, is kept on disk for as long as nothing changes that it depends on: the
// reference's build, plan, buffers, inputs, problem and draw, and this program.
class ReferenceProvider {
 public:
  static constexpr double kDeadlineS = 3600;  // it may take long: without it nothing can be verified
  static constexpr double kLongOnCpuS = 5;    // estimated, for one of two draws: then a GPU takes over

  struct Expected {
    std::shared_ptr<const BufferContents> contents;
    std::string key;       // equal for equal contents
    std::string weakness;  // empty, or why they are not independent of the device
  };

  explicit ReferenceProvider(ReferenceTools tools) : tools_(std::move(tools)) {}

  // The compared buffers after one execution of the system's reference variant on the inputs of a draw. Throws
  // Cancelled, and Error when the reference itself does not build or run, or writes beyond a buffer: nothing could be
  // verified then.
  // `parameters`: of the configuration that is to be verified, see ReferenceSpec::by.
  Expected expected(const System& system, const Values& problem, std::uint64_t draw,
                    const Values& parameters = {});

  // What there is instead of what it had, of the same kind.
  void use(const ReferenceTools& tools) { tools_ = tools; }

  // Gives up the memory of what computed them, until something is to be computed again.
  void rest();

  // What builds the system's reference, where it is tried first.
  [[nodiscard]] Compiler& compiler_of(const System& system) const;

  // Of results that nothing is expected of.
  void note_weakness(std::string weakness) { weakness_ = std::move(weakness); }
  // The latest weakness of what was expected since the last call; empty: there was none.
  [[nodiscard]] std::string take_weakness() { return std::exchange(weakness_, {}); }

 private:
  struct Computed {
    BufferContents contents;
    std::string weakness;
  };
  void forget_oldest();
  [[nodiscard]] bool on_gpu(const System& system) const;
  // Of what is kept; empty: it is not to be kept.
  [[nodiscard]] std::string key_of(const System& system, const Configuration& configuration,
                                   std::uint64_t draw) const;
  Computed find_or_compute(const System& system, const Configuration& configuration, std::uint64_t draw);
  Computed compute(const System& system, const Configuration& configuration, std::uint64_t draw);
  BufferContents compute_in_python(const System& system, const Configuration& configuration,
                                   std::uint64_t draw);
  Computed compute_own(const System& system, const Configuration& configuration, std::uint64_t draw);
  Computed compute_by_agreement(const System& system, const Configuration& configuration, std::uint64_t draw,
                                const std::string& why_not_on_cpu);
  [[nodiscard]] BufferContents execute(Compiler& compiler, Worker& worker, const System& system,
                                       const Configuration& configuration, std::uint64_t draw,
                                       double longest_s) const;

  struct Remembered {
    std::string key, edition;
    std::shared_ptr<const BufferContents> contents;
    std::string weakness;
  };
  ReferenceTools tools_;
  std::list<Remembered> latest_;  // the one asked for last is the first
  bool has_computed_ = false;     // since rest()
  std::string slow_on_cpu_;       // the system and problem whose reference took too long there
  std::string weakness_;
};

// The compared buffers of a system that need a reference.
std::vector<std::string> compared_buffers(const System& system);

}  // namespace tailwave
