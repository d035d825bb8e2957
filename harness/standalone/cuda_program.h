#pragma once

// The part of an exported program that calls CUDA: launches, and a main that verifies, times and says so. C++17, by nvcc.

#include <cuda_runtime.h>

#include <algorithm>
#include <tuple>

#include "standalone/program.h"

namespace tailwave_program {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

constexpr int kMostStreams = 32;

// Stream 0 is that of the times. The others begin with it, and it waits for them at the end.
class Streams {
 public:
  cudaStream_t stream(int number) {
    cudaStream_t& stream = streams_[number];
    if (stream == nullptr) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    return stream;
  }

  void begin(int number) {
    if (number > 0 && !begun_[number]) wait(number, 0);
    begun_[number] = true;
  }

  void wait(int number, int for_number) {
    cudaEvent_t& event = events_[for_number];
    if (event == nullptr) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    check(cudaEventRecord(event, stream(for_number)), "an event");
    check(cudaStreamWaitEvent(stream(number), event, 0), "waiting for a stream");
  }

  void join() {
    for (int number = 1; number < kMostStreams; ++number) {
      if (begun_[number]) wait(0, number);
      begun_[number] = false;
    }
  }

 private:
  cudaStream_t streams_[kMostStreams] = {};
  cudaEvent_t events_[kMostStreams] = {};
  bool begun_[kMostStreams] = {};
};

inline Streams& streams() {
  static Streams all;
  return all;
}

struct Shape {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  int stream = 0;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  // blocks of one; 0: as the code says
  bool dependent = false;
  int priority = 0;
};

inline void launch_kernel(const char* name, const void* kernel, const Shape& shape, void** arguments) {
  cudaLaunchAttribute attributes[4];
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.dynamic_shared_bytes;
  config.stream = streams().stream(shape.stream);
  config.attrs = attributes;
  const auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue& {
    attributes[config.numAttrs].id = id;
    return attributes[config.numAttrs++].val;
  };
  if (shape.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
  if (shape.dependent)
    add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
  if (shape.priority != 0) add(cudaLaunchAttributePriority).priority = shape.priority;
  if (shape.cluster.x > 0) {
    auto& size = add(cudaLaunchAttributeClusterDimension).clusterDim;
    size.x = shape.cluster.x;
    size.y = shape.cluster.y;
    size.z = shape.cluster.z;
    if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 8)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name);
  }
  constexpr std::size_t kWithoutAsking = 48 * 1024;
  if (shape.dynamic_shared_bytes > kWithoutAsking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_shared_bytes)),
          name);
  streams().begin(shape.stream);
  check(cudaLaunchKernelExC(&config, kernel, arguments), name);
}

// Arguments as the kernel takes them: pointers to buffers, numbers of its types, bytes of structs.
template <class... Arguments>
void launch(const char* name, const void* kernel, const Shape& shape, Arguments... arguments) {
  std::tuple<Arguments...> values(arguments...);
  std::apply(
      [&](auto&... value) {
        void* addresses[] = {static_cast<void*>(&value)..., nullptr};
        launch_kernel(name, kernel, shape, addresses);
      },
      values);
}

inline void copy(void* to, const void* from, std::size_t bytes, int stream = 0) {
  streams().begin(stream);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streams().stream(stream)), "a copy");
}

template <class Variable>
void copy_to_variable(const Variable& variable, const void* from, std::size_t bytes, int stream = 0) {
  streams().begin(stream);
  check(cudaMemcpyToSymbolAsync(variable, from, bytes, 0, cudaMemcpyDefault, streams().stream(stream)),
        "a copy into a variable");
}

inline void prefetch(void* buffer, std::size_t bytes, bool to_host, int stream = 0) {
  streams().begin(stream);
#if CUDART_VERSION >= 13000
  cudaMemLocation place = {};
  place.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  check(cudaMemPrefetchAsync(buffer, bytes, place, 0, streams().stream(stream)), "a prefetch");
#else
  check(cudaMemPrefetchAsync(buffer, bytes, to_host ? cudaCpuDeviceId : 0, streams().stream(stream)),
        "a prefetch");
#endif
}

// After everything so far.
template <class T>
bool leaves(const void* buffer, double at_most) {
  streams().join();
  T first;
  check(cudaMemcpyAsync(&first, buffer, sizeof first, cudaMemcpyDefault, streams().stream(0)), "a copy");
  check(cudaStreamSynchronize(streams().stream(0)), "an execution");
  return ends_loop<T>(&first, at_most);
}

class DeviceBuffers {
 public:
  explicit DeviceBuffers(const Program& program) : program_(program) {
    for (const BufferInfo& buffer : program.buffers) {
      void* address = nullptr;
      const std::size_t bytes = std::max<std::size_t>(bytes_of(buffer), 1);
      if (buffer.memory == Memory::managed)
        check(cudaMallocManaged(&address, bytes), buffer.name);
      else if (buffer.memory == Memory::pinned)
        check(cudaMallocHost(&address, bytes), buffer.name);
      else
        check(cudaMalloc(&address, bytes), buffer.name);
      addresses_.push_back(address);
      check(cudaMalloc(&address, bytes), buffer.name);
      inputs_.push_back(address);
    }
  }

  [[nodiscard]] Buffers get() const { return addresses_.data(); }

  void upload(const std::vector<Bytes>& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i)
      check(cudaMemcpy(inputs_[i], contents[i].data(), contents[i].size(), cudaMemcpyDefault), "an input");
  }

  // As they were uploaded.
  void restore() {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      copy(addresses_[i], inputs_[i], bytes_of(program_.buffers[i]));
  }

  [[nodiscard]] Bytes download(std::size_t buffer) const {
    Bytes bytes(bytes_of(program_.buffers[buffer]));
    check(cudaMemcpy(bytes.data(), addresses_[buffer], bytes.size(), cudaMemcpyDefault), "a result");
    return bytes;
  }

 private:
  const Program& program_;
  std::vector<void*> addresses_, inputs_;
};

// One execution on restored inputs; in ms.
inline float execute(const Program& program, DeviceBuffers& buffers, cudaEvent_t begin, cudaEvent_t end) {
  buffers.restore();
  program.prepare(buffers.get());
  streams().join();
  check(cudaEventRecord(begin, streams().stream(0)), "an event");
  program.launches(buffers.get());
  streams().join();
  check(cudaEventRecord(end, streams().stream(0)), "an event");
  check(cudaStreamSynchronize(streams().stream(0)), "an execution");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "a time");
  return ms;
}

inline bool verify(const Program& program, DeviceBuffers& buffers, const std::vector<Bytes>& expected) {
  program.finish(buffers.get());
  streams().join();
  check(cudaStreamSynchronize(streams().stream(0)), "an execution");
  bool right = true;
  for (const Check& one : program.checks) {
    const BufferInfo& buffer = program.buffers[one.buffer];
    const Bytes stored = one.path == nullptr ? Bytes() : read_bytes(one.path, bytes_of(buffer));
    right = is_right(buffer, one, one.path == nullptr ? expected[one.buffer] : stored,
                     buffers.download(one.buffer)) &&
            right;
  }
  return right;
}

inline std::uint64_t number_of_option(int argc, char** argv, const char* name, std::uint64_t otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], name) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  return otherwise;
}

inline void refuse_other_words(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2)
    if (i + 1 == argc || (std::strcmp(argv[i], "--draw") != 0 && std::strcmp(argv[i], "--samples") != 0))
      fail(std::string("usage: ") + argv[0] + " [--draw NUMBER] [--samples NUMBER]");
}

// 0: right, or nothing says what is; 1: wrong; 2: it could not be run.
inline int run(const Program& program, int argc, char** argv) {
  refuse_other_words(argc, argv);
  const std::uint64_t draw = number_of_option(argc, argv, "--draw", 0);
  const std::size_t samples = std::max<std::uint64_t>(number_of_option(argc, argv, "--samples", 20), 1);
  cudaDeviceProp device = {};
  check(cudaGetDeviceProperties(&device, 0), "no GPU");
  std::printf("%s\non %s\n", program.configuration, device.name);
  std::vector<Bytes> inputs;
  for (const BufferInfo& buffer : program.buffers) inputs.push_back(contents_of(buffer, draw));
  const std::vector<Bytes> expected = expected_of(program, inputs);
  DeviceBuffers buffers(program);
  buffers.upload(inputs);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "an event");
  check(cudaEventCreate(&end), "an event");
  execute(program, buffers, begin, end);
  std::printf("before timing, inputs of draw %llu:\n", static_cast<unsigned long long>(draw));
  bool right = verify(program, buffers, expected);
  constexpr int kWarmUp = 3;
  for (int i = 0; i < kWarmUp; ++i) execute(program, buffers, begin, end);
  std::vector<float> ms;
  for (std::size_t i = 0; i < samples; ++i) ms.push_back(execute(program, buffers, begin, end));
  std::printf("after timing:\n");
  right = verify(program, buffers, expected) && right;
  for (const char* what : program.not_checked) std::printf("not checked: %s\n", what);
  std::sort(ms.begin(), ms.end());
  const double median = (ms[(samples - 1) / 2] + ms[samples / 2]) / 2.0;
  std::printf("median %.6g us of %zu samples (%.6g to %.6g us), one execution each\n", 1e3 * median, samples,
              1e3 * ms.front(), 1e3 * ms.back());
  std::printf("%s\n", !right ? "WRONG" : program.checks.empty() ? "UNVERIFIED" : "right");
  return right ? 0 : 1;
}

}  // namespace tailwave_program
