#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/confinement.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/result_database.h"
#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "device/cuda/gpu_place.h"
#include "measure/input_maker.h"
#include "measure/tools.h"
#include "spec/experiment.h"
#include "store/database.h"
#include "store/result_store.h"

namespace tailwave {

// What commands that work with a device are told alike.
struct SessionOptions {
  std::string device =
      "auto";                 // the first CUDA device, else the CPU; or cuda:0; cuda:0,cuda:1; cuda:all; cpu
  bool several_gpus = false;  // are allowed
  int sms = 0;  // of the GPU, which are a device of their own then; of the CPU so many cores. 0: all
  std::string database = kDefaultDatabase;
  // On a CPU run, the GPU that occupancy is computed for, and whose compiler has to take the kernels. Empty: that of
  // the published study, else h100.
  std::string planned_for;
  bool plans_occupancy = false;  // else none is computed on a CPU run, and no GPU's compiler is asked
  ReferencePlace reference_place = ReferencePlace::automatic;
  std::optional<std::int64_t> draw;  // of the random inputs; empty: this machine's own
  bool fresh = false;                // what references made is not found among what is kept, but replaces it
  bool keeps_references = true;      // on disk
  SandboxOptions sandbox;
  std::vector<int> hidden;  // descriptors that no process has in which kernels run
  bool counts = false;      // hardware counters are asked for
};

// `--device`, `--db`, and what specs from strangers may do.
void add_session_options(Command& command, SessionOptions& options);
// `--sms`, for a command that can have a part of the device.
void add_sms_option(Command& command, SessionOptions& options);
// `--target`, for a command that computes occupancy.
void add_target_option(Command& command, SessionOptions& options);

// Experiment files and folders of them, all read before anything is said of any. Throws Error with all diagnostics.
std::vector<Experiment> load_experiments(const std::vector<std::string>& specs);

// Whether the experiment has a cuda variant.
bool has_kernels(const Experiment& experiment);

// What has to be known of kernels' times on this device; "" where there is nothing.
std::string times_remark(const Experiment& experiment, const DeviceDescription& device);

// Of builds, ahead of the device.
unsigned build_processes();

// What a command works with: experiments, one device with its compilers and workers, and the result database. From its
// construction on an interrupt only asks (cli/interrupt.h), and ends what the devices work at.
class Session {
 public:
  // What "auto" did not find is said in one remark. Throws Error (bad usage) for a device that is not there.
  // Nothing but the experiments can be measured. The console has to outlive it.
  Session(SessionOptions options, std::vector<Experiment> experiments, const Console& console);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::vector<Experiment>& experiments() const { return experiments_; }
  [[nodiscard]] const Tools& tools() const { return tools_; }
  [[nodiscard]] const DeviceDescription& device() const { return tools_.device->description(); }
  // Of each GPU, the first one's first; of a CPU device its own.
  [[nodiscard]] std::vector<Tools> tools_of_all() const;
  // The worker that counts on the device, and never times anything. Throws Error where the device is no GPU; the
  // session has to have been told that it counts.
  [[nodiscard]] Worker& counting() const;
  // The worker that records what such a variant does over time, likewise.
  [[nodiscard]] Worker& recording(const VariantSpec& variant) const;
  // Opened, or made, when they are asked for first.
  [[nodiscard]] Database& database();
  [[nodiscard]] ResultStore& store();
  // The environment of the experiment's run, with everything that the session knows filled in.
  [[nodiscard]] RunRecord environment(const Experiment& experiment) const;

 private:
  [[nodiscard]] std::vector<Configuration> other_configurations(const System& system,
                                                                const Values& problem) const;
  [[nodiscard]] WorkerSetup setup(ExecutorFactory device) const;
  // Of a worker on whose device times are taken.
  [[nodiscard]] WorkerSetup holding_setup(ExecutorFactory device, std::string held_device = "") const;
  // What a GPU is measured with.
  struct Gpu {
    std::unique_ptr<Verifier> verifier;
    std::unique_ptr<ProcessWorker> device, reference;
  };
  [[nodiscard]] GpuPlace place_of(int ordinal) const;
  // `known`: of its description as much as is known before it is open; then its process starts when there is something to do.
  Gpu open_gpu(int ordinal, const DeviceDescription& known = {}) const;
  void use_cuda(const std::vector<int>& ordinals);
  [[nodiscard]] std::vector<Gpu> start_others(const std::vector<int>& ordinals) const;
  void open_counting(int ordinal);
  // Of variants with processing elements, on the GPUs from this one on. Null where there is no such variant, or no NVSHMEM;
  // with `recorders`, one that records by the first of these libraries that can be loaded, and times nothing.
  [[nodiscard]] std::unique_ptr<ProcessWorker> open_pes(
      int ordinal, const std::vector<std::filesystem::path>& recorders) const;
  void use_cpu(const std::string& no_nvrtc);
  void choose_device(const std::string& no_nvrtc);
  // Of programs, which use the device of the run.
  void open_nvcc();
  void open_programs();

  InterruptGuard interrupts_;
  SessionOptions options_;
  std::vector<Experiment> experiments_;
  const Console& console_;
  // Before anything else, so that their processes are started first: a reference's has nothing of what is measured.
  std::vector<Gpu> gpus_;
  std::unique_ptr<ProcessWorker> host_device_, reference_device_, pes_device_, counting_, recording_pes_,
      program_device_;
  ArtifactCache cache_{ArtifactCache::default_root()};
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::unique_ptr<Compiler> kernels_, host_, cpu_kernels_, planner_, programs_, nvcc_;
  Tools tools_;
  std::optional<InputMaker> input_maker_;
  std::unique_ptr<Database> database_;
  std::optional<ResultStore> store_;
};

// "2.10 s: 0.20 waiting for builds, ...": of the coordinator's wall-clock time; compilers work at the same time in
// other processes. What is named by none is said where it is a second and a fifth of all, or more.
std::string time_spent(const PhaseTimes& phases, double total_s);

}  // namespace tailwave
