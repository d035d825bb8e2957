#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compile/host_compiler.h"
#include "device/cpu/cpu_executor.h"
#include "fakes/one_variant.h"

namespace tailwave::fakes {

inline constexpr const char* kNothing = "extern \"C\" __global__ void nothing() {}\n";

// A template, or a host variant, compiled and loaded on a CPU device of two cores.
class CpuTemplate {
 public:
  CpuTemplate(const std::string& text, const std::vector<std::string>& kernels, Values parameters = {},
              VariantSpec::Target target = VariantSpec::Target::cuda)
      : source_(target, text, kernels, std::move(parameters)),
        executor_(2),
        program_(executor_.load(compile())) {}

  CpuExecutor& executor() { return executor_; }
  Program& program() { return *program_; }

  void run(const Launch& launch) { executor_.run(*program_, std::span(&launch, 1), {}); }

  void restore(const Restoration& restoration) { executor_.restore(std::span(&restoration, 1)); }
  std::string damage(const Buffer& buffer) { return executor_.read({{&buffer}, {}}).at(0); }

  template <class T>
  std::unique_ptr<Buffer> buffer(const std::vector<T>& values) {
    auto made = executor_.allocate(values.size() * sizeof(T));
    executor_.upload(*made, std::as_bytes(std::span(values)));
    return made;
  }

  template <class T>
  std::vector<T> values(const Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    executor_.download(buffer, std::as_writable_bytes(std::span(values)));
    return values;
  }

 private:
  Artifact compile() {
    if (source_.variant().target == VariantSpec::Target::host)
      return HostCompiler(source_.cache()).build(source_.request());
    return CpuKernelCompiler(source_.cache()).build(source_.request());
  }

  OneVariant source_;
  CpuExecutor executor_;
  std::unique_ptr<Program> program_;
};

// Runs a template with the one kernel `test(int* out)` and returns `count` elements of out, which were 0.
template <class T = int>
std::vector<T> output_of(const std::string& text, Dim3 grid, Dim3 block, std::size_t count,
                         std::int64_t dynamic_shared_bytes = 0, bool cooperative = false) {
  CpuTemplate kernel(text, {"test"});
  const auto out = kernel.buffer(std::vector<T>(count));
  Launch launch{"test", grid, block, dynamic_shared_bytes, {out.get()}};
  launch.cooperative = cooperative;
  kernel.run(launch);
  return kernel.values<T>(*out);
}

}  // namespace tailwave::fakes
