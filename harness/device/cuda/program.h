#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "device/cuda/buffer_views.h"
#include "device/cuda/context.h"
#include "device/cuda/memory.h"
#include "device/cuda/prepared_launch.h"
#include "device/executor.h"

namespace tailwave {

// A cubin in a context, and its kernels by the manifest's names; or a library's functions, which are launched like kernels.
class CudaProgram final : public Program {
 public:
  // Throws Failure(launch_failed) when the driver does not take the code or lacks a symbol, Error when the
  // file cannot be read.
  CudaProgram(std::shared_ptr<Context> context, const Artifact& artifact);

  // Arguments as bytes, sizes as the driver's types, the kernel's dynamic shared memory raised as needed.
  // Throws Failure: exceeds_device_limit with the numbers, launch_failed.
  PreparedLaunch prepare(const Launch& launch);

  // As Executor::blocks_per_sm; 0 for a launch that the device does not take, none for a library's function.
  std::optional<int> blocks_per_sm(const Launch& launch);

  // As Executor::active_clusters.
  std::optional<int> active_clusters(const Launch& launch);

  // Where a launch's kernel notes its blocks, and where the program notes the time (compile/block_trace.h). Throws
  // Failure(launch_failed) when it notes none.
  struct Notes {
    CUdeviceptr blocks = 0, times = 0, long_life = 0;
    std::size_t bytes = 0;               // of blocks
    int registers = 0, local_bytes = 0;  // what the driver gave the kernel
  };
  Notes notes(const Launch& launch);

  // The same code on another GPU, loaded when it is asked for first; this one for its own context.
  CudaProgram& on(const std::shared_ptr<Context>& context);

  // Gives the variables of the code, which outlive a launch, what they held when it was loaded: queued in a stream of
  // its context. Not those of code that came as PTX.
  void restore_variables(CUstream stream);
  // The same code where on() has loaded it already; else null.
  [[nodiscard]] CudaProgram* already_on(const Context& context) const;

  // Whether the launch's kernel has run on so many SMs already (0: all), and so has its local memory.
  [[nodiscard]] bool launched_before(const Launch& launch, int sms) const;
  void mark_launched(const Launch& launch, int sms);

  // Whoever holds it keeps the code loaded.
  [[nodiscard]] const std::shared_ptr<CUmod_st>& module() const { return module_; }

  // The graph of this program's latest run as one.
  PlanGraph& graph() { return graph_; }

 private:
  struct Kernel {
    CUfunction function = nullptr;
    int max_dynamic_shared_bytes = 0;
    std::optional<Dim3> cluster;          // that it was compiled for
    bool needs_cluster = false;           // was compiled for clusters of any size
    bool may_have_large_cluster = false;  // of more than 8 blocks: the driver has been told
    std::set<int> launched_on;            // SMs; 0: all
  };
  struct Variable {
    CUdeviceptr address = 0;
    std::size_t bytes = 0, offset = 0;  // in initial_
  };
  [[nodiscard]] PreparedLaunch prepare_call(const Launch& launch);
  void join_nvshmem();
  void keep_variables();
  Kernel& kernel(const std::string& name);
  [[nodiscard]] int attribute(const Kernel& kernel, CUfunction_attribute attribute) const;
  PreparedLaunch prepare_copy(const Launch& launch);
  void require_reachable(const Launch& launch) const;
  [[nodiscard]] PreparedLaunch prepare_prefetch(const Launch& launch) const;
  [[nodiscard]] PreparedLaunch prepare_collective(const Launch& launch) const;
  CUresult allow_dynamic_shared(Kernel& kernel, std::int64_t bytes);
  void read_cluster(Kernel& kernel) const;
  // The launch's, or that which its kernel was compiled for; absent: none. Throws Failure(launch_failed) where both
  // differ, the grid has no whole number of them, or the kernel needs one.
  static std::optional<Dim3> cluster_of(const Kernel& kernel, const Launch& launch);
  // Throws Failure(exceeds_device_limit) for clusters that the device does not take. To be asked when the rest is prepared.
  void prepare_cluster(Kernel& kernel, const Launch& launch, const Dim3& cluster, PreparedLaunch& prepared);
  void add_argument(const LaunchArgument& argument, PreparedLaunch& prepared);
  const CudaTexture& texture(const TextureView& view);
  // The driver reads as many arguments as the kernel has parameters, whatever it is given.
  void check_arguments(const Kernel& kernel, const Launch& launch) const;
  // The limit that the launch does not keep ("1025 threads a block exceed the 1024 that the device allows"), or "".
  [[nodiscard]] std::string exceeded_limit(const Kernel& kernel, const Launch& launch) const;

  std::shared_ptr<Context> context_;
  Artifact artifact_;
  std::map<const Context*, std::unique_ptr<CudaProgram>> elsewhere_;
  std::shared_ptr<CUmod_st> module_;
  std::unique_ptr<HostLibrary> library_;  // instead of a module
  std::map<std::string, Kernel> kernels_;
  std::vector<Variable> variables_;
  std::unique_ptr<CudaBuffer> initial_;  // what they held; null: there are none
  std::vector<std::unique_ptr<CudaTexture>> textures_;
  PlanGraph graph_;  // behind module_, to be destroyed before it
};

}  // namespace tailwave
