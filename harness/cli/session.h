#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "occupancy/device_spec.h"
#include "tune/pipeline.h"

namespace tailwave {

// The compilers and executors that a command works with, made for one device.
class Session {
 public:
  // device: "auto" (the first CUDA device, else the CPU), "cuda:0", "cpu". What "auto" did not find is said in
  // one remark. Throws Error (bad usage) for a device that is not there.
  // planned_for: on a CPU run, the GPU that occupancy is computed for; empty: no occupancy.
  // experiments: what may be measured; they have to stay where they are and as they are.
  Session(const std::string& device, const std::string& planned_for,
          std::vector<const Experiment*> experiments, const Console& console);
  ~Session();
  // Once it is true, what the devices work at is abandoned.
  void cancel_when(const std::function<bool()>& cancelled);
  // Not found among those that are kept; they replace them.
  void compute_references_anew() { tools_.reference.kept = tools_.reference.kept.finding_nothing(); }
  void set_reference_place(ReferencePlace place) { tools_.reference.place = place; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Toolchain& tools() const { return tools_; }
  [[nodiscard]] const DeviceDescription& device() const { return tools_.device->description(); }
  // The environment of a run, with everything that the session knows filled in.
  [[nodiscard]] RunRecord environment(const std::filesystem::path& project_root) const;

 private:
  [[nodiscard]] std::vector<Configuration> other_configurations(const System& system,
                                                                const Values& problem) const;
  [[nodiscard]] WorkerSetup setup(ExecutorFactory device) const;
  void use_cuda(int ordinal);
  void use_cpu(const std::string& planned_for);

  std::vector<const Experiment*> experiments_;
  // Before anything else, so that their processes are started first: a reference's has nothing of what is measured.
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<ProcessWorker> host_device_, reference_device_, device_, gpu_reference_;
  ArtifactCache cache_{ArtifactCache::default_root()};
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::unique_ptr<Compiler> kernels_, host_, cpu_kernels_, planner_;
  Toolchain tools_;
};

// The device whose occupancy a driver's description stands for; named as in occupancy/devices.json where it is
// known there.
DeviceSpec spec_of(const DeviceDescription& device);

// What a CPU run computes occupancy for unless `wanted` says so: the published device of the first experiment that has
// one, since that is the GPU whose curves it explains.
std::string planning_device(const std::string& wanted, const std::vector<Experiment>& experiments);
inline constexpr const char* kPlannedForHelp =
    "on the CPU device: the GPU that occupancy and waves are computed for (default: the GPU of the published "
    "study, else "
    "h100)";

// "2.10 s: 0.20 waiting for builds, ...": of the coordinator's wall-clock time; compilers work at the same time in other
// processes.
std::string time_spent(const PhaseTimes& phases, double total_s);

}  // namespace tailwave
