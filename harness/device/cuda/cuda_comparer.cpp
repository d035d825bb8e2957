#include "device/cuda/cuda_comparer.h"

#include "core/error.h"

#ifdef TAILWAVE_WITH_CUDA
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "device/comparison_kernels.h"
#include "device/cuda/device.h"
#include "device/cuda/gpu_comparison.h"
#include "device/cuda/memory.h"
#endif

namespace tailwave {

#ifndef TAILWAVE_WITH_CUDA

ComparerFactory cuda_comparer(const GpuPlace& /*place*/, const ArtifactCache& /*cache*/) {
  return []() -> std::unique_ptr<Comparer> { throw Error("this build has no CUDA support"); };
}

#else

namespace {

std::shared_ptr<Context> open_context(const GpuPlace& place) {
  const int ordinal = take_place(place);
  const auto [api, reason] = DriverApi::load();
  if (!api) throw Error(reason);
  return Context::create(api, ordinal);
}

// Device memory of this process.
class Memory {
 public:
  Memory(std::shared_ptr<Context> context, std::size_t size_bytes) : context_(std::move(context)) {
    context_->enter();
    context_->check(context_->api().mem_alloc(&address_, size_bytes), "allocating what is expected");
  }
  ~Memory() {
    context_->enter();
    context_->api().mem_free(address_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return address_; }

 private:
  std::shared_ptr<Context> context_;
  CUdeviceptr address_ = 0;
};

class CudaComparer final : public Comparer {
 public:
  CudaComparer(const GpuPlace& place, ArtifactCache cache)
      : context_(open_context(place)), cache_(std::move(cache)) {}
  ~CudaComparer() override { forget(); }
  CudaComparer(const CudaComparer&) = delete;
  CudaComparer& operator=(const CudaComparer&) = delete;

  // To compile all kinds takes long.
  void prepare(const std::vector<Kind>& kinds) override {
    const std::size_t before = kinds_.size();
    kinds_.insert(kinds.begin(), kinds.end());
    if (kinds_.size() > before) comparison_ = std::make_unique<GpuComparison>(context_, build());
  }

  void keep(const std::string& key, std::span<const std::byte> contents) override {
    auto memory = std::make_unique<Memory>(context_, std::max<std::size_t>(contents.size(), 1));
    const DriverApi& api = context_->api();
    context_->check(api.copy_to_device(memory->address(), contents.data(), contents.size(), nullptr),
                    "copying what is expected");
    context_->check(api.stream_synchronize(nullptr), "copying what is expected");
    expected_[key] = std::move(memory);
  }

  void keep_only(const std::vector<std::string>& keys) override {
    std::erase_if(expected_, [&](const auto& entry) {
      return std::find(keys.begin(), keys.end(), entry.first) == keys.end();
    });
  }

  std::vector<Found> compare(std::span<const Pair> pairs) override {
    std::vector<GpuComparison::Arrays> arrays;
    std::vector<GpuComparison::Guarded> guarded;
    std::vector<Kind> kinds;
    for (const Pair& pair : pairs) kinds.emplace_back(pair.comparison.norm, pair.type);
    prepare(kinds);
    for (const Pair& pair : pairs) {
      const CUdeviceptr actual = open(pair.handle);
      const bool range = pair.comparison.norm == Comparison::Norm::range;
      arrays.push_back({.type = pair.type,
                        .expected = range ? 0 : expected_.at(pair.expected)->address(),
                        .actual = actual,
                        .count = pair.size_bytes / size_bytes(pair.type),
                        .comparison = pair.comparison});
      guarded.push_back({actual, pair.size_bytes});
    }
    GpuComparison::Findings findings = comparison_->check(arrays, guarded);
    std::vector<Found> found;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      found.push_back({std::move(findings.verifications[i]), std::move(findings.guard_damage[i])});
    return found;
  }

  void forget() override {
    context_->enter();
    for (const auto& [handle, base] : opened_) context_->api().ipc_close(base);
    opened_.clear();
  }

 private:
  Artifact build() {
    std::string reason;
    const auto nvrtc = NvrtcLibrary::load(reason);
    if (!nvrtc) throw Error(reason);
    constexpr int kTen = 10;
    const int capability = kTen * context_->limit(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                           context_->limit(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    NvrtcCompiler compiler(nvrtc, cache_, capability);
    return build_comparison_kernels(compiler, cache_.root() / "comparison", kinds_);
  }

  // The address of a buffer's memory, which is opened once; its process says when it goes.
  CUdeviceptr open(const std::vector<std::byte>& handle) {
    CudaBuffer::Shared shared{};
    if (handle.size() != sizeof shared) throw Failure(Outcome::launch_failed, "this is no memory of a GPU");
    std::memcpy(&shared, handle.data(), sizeof shared);
    if (const auto known = opened_.find(handle); known != opened_.end()) return known->second + shared.offset;
    CUdeviceptr base = 0;
    context_->enter();
    context_->check(context_->api().ipc_open(&base, shared.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                    "opening the memory of another process");
    opened_.emplace(handle, base);
    return base + shared.offset;
  }

  std::shared_ptr<Context> context_;
  ArtifactCache cache_;
  ComparisonKernels kinds_;
  std::unique_ptr<GpuComparison> comparison_;  // of these kinds
  std::map<std::string, std::unique_ptr<Memory> > expected_;
  std::map<std::vector<std::byte>, CUdeviceptr> opened_;
};

}  // namespace

ComparerFactory cuda_comparer(const GpuPlace& place, const ArtifactCache& cache) {
  return [place, cache] { return std::make_unique<CudaComparer>(place, cache); };
}

#endif

}  // namespace tailwave
