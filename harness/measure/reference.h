#pragma once

#include <map>
#include <string>
#include <utility>

#include "build/artifact.h"
#include "device/executor.h"
#include "measure/reference_cache.h"
#include "measure/workspace.h"

namespace tailwave {

// What builds and runs a reference that is a cuda variant: a T1 file's. Not owned; null: not there.
struct KernelReference {
  Compiler* cpu_kernels = nullptr;  // makes cuda variants run where host variants do
  Compiler* kernels = nullptr;      // the same for `device`
  Executor* device = nullptr;       // the run's own
};

// What the reference variant makes of the inputs, run once per problem and draw while the results are among the latest.
// A host variant is built by the host compiler. A cuda variant is executed with its default parameters on the CPU, an
// implementation of CUDA that shares no hardware, driver or compiler with a GPU. Where it cannot be built for the CPU,
// fails there or takes longer than kKernelDeadlineS, it is executed on the run's own device, if that is a GPU: then all
// that a verification says is that a configuration agrees with the default one; Expected::weakness tells.
//
// What it made on the CPU is kept on disk, for as long as nothing changes that it depends on: the reference's build,
// plan, buffers, inputs, problem and draw, and this program.
class ReferenceProvider {
 public:
  static constexpr double kHostDeadlineS = 3600;  // it may take long: without it nothing can be verified
  static constexpr double kKernelDeadlineS = 300;

  struct Expected {
    std::shared_ptr<const BufferContents> contents;
    std::string weakness;  // empty, or why they are not independent of the device
  };

  ReferenceProvider(Compiler& host_compiler, Executor& host, KernelReference kernels = {},
                    ReferenceCache kept = ReferenceCache())
      : compiler_(host_compiler), host_(host), kernels_(kernels), kept_(std::move(kept)) {}

  // The compared buffers after one execution of the system's reference variant on make_inputs(draw). Throws
  // Error when the reference itself does not build or run, or writes beyond a buffer: nothing could be verified then.
  Expected expected(const System& system, const Values& problem, std::uint64_t draw);

  // The latest weakness of what was expected since the last call; empty: there was none.
  [[nodiscard]] std::string take_weakness() { return std::exchange(weakness_, {}); }

 private:
  struct Place {
    Compiler& compiler;
    Executor& executor;
  };
  // Of what is kept; empty: it is not to be kept.
  [[nodiscard]] std::string key_of(const System& system, const Configuration& configuration,
                                   std::uint64_t draw) const;
  struct Computed {
    BufferContents contents;
    std::string weakness;
  };
  Computed find_or_compute(const System& system, const Values& problem, std::uint64_t draw);
  Computed compute(const System& system, const Configuration& configuration, std::uint64_t draw);
  Computed compute_kernels(const System& system, const Configuration& configuration, std::uint64_t draw);
  static BufferContents compute_at(const Place& place, const System& system,
                                   const Configuration& configuration, std::uint64_t draw);

  Compiler& compiler_;
  Executor& host_;
  KernelReference kernels_;
  ReferenceCache kept_;
  ContentsCache computed_;
  std::map<std::string, std::string> weak_;  // why, by the key in computed_
  std::string weakness_;
};

}  // namespace tailwave
