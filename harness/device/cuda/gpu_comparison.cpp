#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/gpu_comparison.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "device/comparison_kernels.h"
#include "device/cuda/memory.h"
#include "verify/difference.h"
#include "verify/verdict.h"

namespace tailwave {

GpuComparison::GpuComparison(std::shared_ptr<Context> context, const Artifact& kernels)
    : context_(std::move(context)) {
  context_->enter();
  const std::string code = read_file(kernels.file);
  if (code.empty()) throw Error(kernels.file.string() + ": there is no machine code in it");
  CUmodule loaded = nullptr;
  context_->check(context_->api().module_load(&loaded, code.data()), "loading the kernels that compare");
  module_ = Module(loaded, {context_});
  for (const auto& [name, symbol] : kernels.symbols)
    context_->check(context_->api().module_function(&kernels_[name], loaded, symbol.c_str()),
                    "finding the kernel " + name);
  stream_ = make_stream(context_);
}

unsigned GpuComparison::blocks_for(const Arrays& arrays) {
  constexpr std::size_t kBytesAThread = 32;
  if (arrays.count == 0) return 0;
  const std::size_t bytes = arrays.count * size_bytes(arrays.type);
  const auto most = static_cast<std::size_t>(context_->limit(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) *
                    kComparisonBlocksPerSm;
  return static_cast<unsigned>(
      std::clamp<std::size_t>(bytes / (kBytesAThread * kComparisonBlockThreads), 1, most));
}

void GpuComparison::make_room(std::size_t size_bytes) {
  if (size_bytes <= found_bytes_) return;
  found_bytes_ = 0;
  found_ = make_mapped_memory(context_, size_bytes);
  context_->check(context_->api().host_device_pointer(&found_on_device_, found_.get(), 0),
                  "mapping host memory");
  found_bytes_ = size_bytes;
}

CUfunction GpuComparison::kernel_for(const Arrays& arrays) const {
  const std::string name = comparison_kernel(arrays.comparison.norm, arrays.type);
  const auto kernel = kernels_.find(name);
  if (kernel == kernels_.end()) throw Failure(Outcome::launch_failed, "the program has no kernel " + name);
  return kernel->second;
}

void GpuComparison::queue(const Arrays& arrays, unsigned blocks, CUdeviceptr partial) {
  if (blocks == 0) return;
  DifferenceRule rule = difference_rule(arrays.type, arrays.comparison);
  CUdeviceptr actual = arrays.actual;
  CUdeviceptr expected = rule.norm == DifferenceNorm::range ? arrays.actual : arrays.expected;
  unsigned long long count = arrays.count;
  std::array<void*, 7> arguments{&expected, &actual,    &count,  &rule.tolerance,
                                 &rule.low, &rule.high, &partial};
  context_->check(context_->api().launch(kernel_for(arrays), blocks, 1, 1, kComparisonBlockThreads, 1, 1, 0,
                                         stream_.get(), arguments.data(), nullptr),
                  "comparing on the GPU");
}

GpuComparison::Findings GpuComparison::check(std::span<const Arrays> arrays,
                                             std::span<const Guarded> guarded) {
  context_->enter();
  std::vector<unsigned> blocks;
  std::size_t parts = 0;
  for (const Arrays& pair : arrays) {
    static_cast<void>(kernel_for(pair));  // before anything is queued
    parts += blocks.emplace_back(blocks_for(pair));
  }
  const std::size_t zones_at = parts * sizeof(ArrayDifference);
  make_room(zones_at + guarded.size() * 2 * CudaBuffer::kGuardBytes);

  CUdeviceptr partial = found_on_device_;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    queue(arrays[i], blocks[i], partial);
    partial += blocks[i] * sizeof(ArrayDifference);
  }
  std::byte* zones = static_cast<std::byte*>(found_.get()) + zones_at;
  for (const Guarded& memory : guarded) {
    CudaBuffer::read_guards(*context_, memory.address, memory.size_bytes, stream_.get(), zones);
    zones += 2 * CudaBuffer::kGuardBytes;
  }
  context_->check(context_->api().stream_synchronize(stream_.get()), "comparing on the GPU");

  Findings findings;
  const auto* part = static_cast<const std::byte*>(found_.get());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    ArrayDifference found;
    for (unsigned block = 0; block < blocks[i]; ++block, part += sizeof(ArrayDifference)) {
      ArrayDifference of_block;
      std::memcpy(&of_block, part, sizeof of_block);
      merge(found, of_block);
    }
    findings.verifications.push_back(verdict(arrays[i].type, arrays[i].count, found, arrays[i].comparison));
  }
  for (const Guarded& memory : guarded) {
    findings.guard_damage.push_back(CudaBuffer::damage_in(part, memory.size_bytes));
    part += 2 * CudaBuffer::kGuardBytes;
  }
  return findings;
}

}  // namespace tailwave
#endif
