#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "compile/block_trace.h"
#include "compile/cubin.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/driver_executor.h"

namespace tailwave {

inline constexpr const char* kTestKernels = R"(
extern "C" __global__ void add(float* sum, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
extern "C" __global__ void write_at(float* data, long long index) { data[index] = 1.5f; }
extern "C" __global__ void nothing() {}
__device__ int plain_count = 3;
static __device__ int hidden_count;
namespace { __device__ int unnamed_counts[2]; }
__managed__ int managed_count = 8;
template <int N> __device__ int count_of_template = N;
extern "C" __global__ void count(int* out) {
  static int in_function = 40;
  out[0] = ++plain_count;
  out[1] = ++hidden_count;
  out[2] = ++unnamed_counts[1];
  out[3] = ++managed_count;
  out[4] = ++count_of_template<7>;
  out[5] = ++in_function;
}
extern "C" {
__constant__ int factors[3];
}
extern "C" __global__ void multiply(int* values) { values[threadIdx.x] *= factors[threadIdx.x]; }
__device__ void spin(long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(100);  // warps that only spin keep younger ones of their scheduler from beginning
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
extern "C" __global__ void wait_for(long long nanoseconds) { spin(nanoseconds); }
// The smallest step between two readings of globaltimer, in nanoseconds.
extern "C" __global__ void timer_step(unsigned long long* step) {
  unsigned long long last, now, least = ~0ull;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last));
  for (int i = 0; i < 100000; ++i) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now != last && now - last < least) least = now - last;
    last = now;
  }
  *step = least;
}
// state: {executions seen, increments, what each execution saw...}
extern "C" __global__ void observe(int* state) { state[2 + state[0]] = state[1]; state[0] += 1; }
extern "C" __global__ void increment_late(int* state) { spin(300000); state[1] += 1; }
extern "C" __global__ void reverse(int* data, int n) {
  extern __shared__ int copy[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}
// Every block adds 1, all wait for all, then each writes the total that it sees.
extern "C" __global__ void meet(unsigned* count, unsigned* seen) {
  atomicAdd(count, 1u);
  while (atomicAdd(count, 0u) < gridDim.x) {}
  seen[blockIdx.x] = atomicAdd(count, 0u);
}
extern "C" __global__ void with_shared(float* out) {
  __shared__ float tile[5000];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void many_registers(float* out, int n) {
  float value[64];
  for (int i = 0; i < 64; ++i) value[i] = out[i * n + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 64; ++i) value[i] = value[i] * value[(i + 1) % 64] + 0.5f;
  for (int i = 0; i < 64; ++i) out[i * n + threadIdx.x] = value[i];
}
extern "C" __global__ void deep_stack(float* out, int n) {
  volatile float local[4096];
  for (int i = 0; i < n; ++i) local[(i * 7) % 4096] = i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = local[n % 4096];
}
struct Given { const int* in; float factors[2]; signed char shift; int* out; };
extern "C" __global__ void with_struct(Given given) {
  const int i = threadIdx.x;
  given.out[i] = static_cast<int>(given.in[i] * given.factors[i % 2]) + given.shift;
}
extern "C" __global__ void append(int* log, int digit) { log[0] = log[0] * 10 + digit; }
extern "C" __global__ void increment(int* value) { value[0] += 1; }
extern "C" __global__ void read_all(const float4* data, int n, float* out) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 four = data[i];
    sum += four.x + four.y + four.z + four.w;
  }
  if (sum == 12345.0f) *out = sum;  // never, but the compiler does not know
}
// Of each block its SM, which it keeps for a while.
extern "C" __global__ void note_sm(unsigned* sms) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) sms[blockIdx.x] = sm;
  spin(20000);
}
extern "C" __global__ void trap() { asm volatile("trap;"); }
)";

inline const std::vector<std::string>& test_kernel_names() {
  static const std::vector<std::string> names{
      "add",     "write_at",  "nothing",  "count",       "wait_for",       "observe",    "increment_late",
      "reverse", "meet",      "trap",     "with_shared", "many_registers", "deep_stack", "timer_step",
      "append",  "increment", "read_all", "multiply",    "note_sm",        "with_struct"};
  return names;
}

// What there is, looked up once, and before NVRTC compiles anything in this process (see cuda_device.h).
struct Gpu {
  std::string obstacle = cuda_obstacle();
  std::vector<DeviceDescription> devices = list_cuda_devices();
  std::string refusal_of_another;  // what opening cuda:99 says
  std::unique_ptr<Executor> executor;

  Gpu() {
    if (!obstacle.empty()) return;
    try {
      open_in_this_process({.ordinal = 99});
    } catch (const Error& error) {
      refusal_of_another = error.what();
    }
    executor = open_in_this_process({.ordinal = 0});
  }

  static Gpu& get() {
    static Gpu gpu;
    return gpu;
  }
};

// The kernels above as a file of code, which goes with the object: a cubin, or PTX where kernels are to note their
// blocks (see add_block_trace). Throws Error when NVRTC is not there.
class TestKernels {
 public:
  explicit TestKernels(int compute_capability, const std::map<std::string, NotedEntry>& traced = {},
                       StartKept kept = StartKept::in_register) {
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) throw Error(why_not);
    const std::string target = std::string("--gpu-architecture=") + (traced.empty() ? "sm_" : "compute_") +
                               std::to_string(nearest_target(nvrtc->targets(), compute_capability));
    const NvrtcResult result = nvrtc->compile(kTestKernels, "test_kernels.cu", test_kernel_names(), {target});
    if (!result.succeeded) throw Error(result.log);
    artifact_.file =
        std::filesystem::temp_directory_path() /
        ("tailwave_test_kernels_" + std::to_string(getpid()) + (traced.empty() ? ".cubin" : ".ptx"));
    artifact_.symbols = result.symbols;
    if (!traced.empty()) {
      artifact_.kind = Artifact::Kind::ptx;
      std::ofstream(artifact_.file, std::ios::binary) << add_block_trace(result.ptx, traced, kept);
      artifact_.symbols.emplace(kTraceStamp, kTraceStamp);
      return;
    }
    std::ofstream(artifact_.file, std::ios::binary) << result.cubin;
    const Cubin cubin = read_cubin(result.cubin);
    artifact_.resources = cubin.kernels;  // names and symbols are the same: extern "C"
    artifact_.variables = cubin.variables;
  }
  ~TestKernels() {
    std::error_code ignored;
    std::filesystem::remove(artifact_.file, ignored);
  }
  TestKernels(const TestKernels&) = delete;
  TestKernels& operator=(const TestKernels&) = delete;

  [[nodiscard]] const Artifact& artifact() const { return artifact_; }

 private:
  Artifact artifact_;
};

inline Launch launch_of(std::string kernel, const Dim3& grid = {}, const Dim3& block = {},
                        std::vector<LaunchArgument> arguments = {}) {
  Launch launch;
  launch.kernel = std::move(kernel);
  launch.grid = grid;
  launch.block = block;
  launch.arguments = std::move(arguments);
  return launch;
}

template <class T>
std::unique_ptr<Buffer> upload(Executor& executor, const std::vector<T>& values) {
  auto buffer = executor.allocate(values.size() * sizeof(T));
  executor.upload(*buffer, std::as_bytes(std::span(values)));
  return buffer;
}

inline std::string damage_of(Executor& executor, const Buffer& buffer) {
  return executor.read({{&buffer}, {}}).at(0);
}

template <class T>
std::vector<T> download(Executor& executor, const Buffer& buffer) {
  std::vector<T> values(buffer.size_bytes() / sizeof(T));
  executor.download(buffer, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace tailwave
