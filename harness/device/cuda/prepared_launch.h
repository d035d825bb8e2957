#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/argument_values.h"
#include "device/cuda/buffer_views.h"
#include "device/cuda/context.h"
#include "device/executor.h"
#include "device/host_library.h"

namespace tailwave {

// What the driver is told of a launch. Equal ones do the same to the same memory, as long as their module is loaded.
struct DriverLaunch {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  std::size_t stream = 0;         // index into the streams used, 0 the first
  std::vector<std::size_t> wait;  // likewise
  bool cooperative = false;
  std::array<unsigned, 3> cluster{};  // blocks of one; 0: as the kernel was compiled
  bool dependent = false;             // see Launch
  int priority = 0;                   // of the device's range
  int sms = 0;                        // of the stream, one for all of its launches; 0: all
  ArgumentValues values;              // of the arguments
  // Of a library's function instead of a kernel, which queues its work in the stream.
  const HostLibrary* library = nullptr;
  const tailwave_cpu::Entry* call = nullptr;
  // Of a copy, which is no launch: so many bytes from one address to the other.
  CUdeviceptr copy_to = 0, copy_from = 0;
  std::size_t copy_bytes = 0;
  bool waits_for_host = false;  // the driver's call may last until the stream is so far
  // Of a prefetch: so many bytes from an address, to that device or CU_DEVICE_CPU.
  CUdeviceptr prefetched = 0;
  std::size_t prefetch_bytes = 0;
  CUdevice prefetch_to = 0;
  // Of a collective, which is none either: so many elements to be added up.
  Collective collective = Collective::none;
  CUdeviceptr summed = 0;
  std::size_t summed_count = 0;
  ScalarType summed_type = ScalarType::float32;

  bool operator==(const DriverLaunch&) const = default;
};

// A LoopExit whose value is at an address.
struct PreparedExit : LoopExit {
  CUdeviceptr value = 0;
};

// A launch ready to be queued.
struct PreparedLaunch : DriverLaunch {
  std::string text;  // "body_force (grid 32 x 1 x 1, block 128 x 1 x 1, 0 bytes of dynamic shared memory)"
  std::string exceeded_limit;    // "1025 threads a block exceed the 1024 that the device allows", or ""
  std::vector<void*> arguments;  // into values
  std::vector<const CudaTexture*> textures;  // of its arguments, kept by the program
  std::shared_ptr<Context> context;          // of another GPU than the run's; null: of the run's
  std::optional<PreparedExit> exit;
};

// What the driver is told of a launch besides its arguments, in a stream. To be used before it, and the launch, go.
class DriverLaunchConfig {
 public:
  DriverLaunchConfig(const DriverLaunch& launch, CUstream stream);
  [[nodiscard]] const CUlaunchConfig& get() const { return config_; }
  [[nodiscard]] bool has_attributes() const { return config_.numAttrs > 0; }
  DriverLaunchConfig(const DriverLaunchConfig&) = delete;
  DriverLaunchConfig& operator=(const DriverLaunchConfig&) = delete;

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);

  std::array<CUlaunchAttribute, 4> attributes_{};
  CUlaunchConfig config_{};
};

// "body_force, integrate": the kernels in order, each once.
std::string names_of(std::span<const PreparedLaunch> plan);

// Throws Failure with the launch's numbers, the driver's words and the limit, if one is exceeded:
// exceeds_device_limit then, else what outcome_of() says.
void check_launch(Context& context, CUresult result, const PreparedLaunch& launch);

// The same of launches that the driver takes or refuses together, as a graph: a refusal is put to the first launch
// that exceeds a limit, else to all of them.
void check_graph(Context& context, CUresult result, std::span<const PreparedLaunch> plans);

// Executions captured in a CUDA graph, for as long as the same ones are wanted. To be destroyed before the module
// with its kernels.
struct PlanGraph {
  std::vector<DriverLaunch> plans;
  int executions = 0, sets = 0;
  std::size_t operations = 0;  // launches and dependencies between streams
  GraphExec executable;        // null: nothing is captured

  [[nodiscard]] bool holds(std::span<const PreparedLaunch> wanted, const RunOptions& options) const;
};

}  // namespace tailwave
