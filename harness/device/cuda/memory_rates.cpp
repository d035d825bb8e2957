#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/memory_rates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "device/cuda/memory.h"

namespace tailwave {
namespace {

// The memory is four parts of `words` 16 bytes each, of which a thread takes word after word, past L1, in as many
// passes as are asked for; a value that no data has keeps the compiler from leaving the loads out.
constexpr const char* kPassPtx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry tailwave_pass(.param .u64 memory, .param .u64 words, .param .u32 passes, .param .u32 writes)
{
  .reg .pred %done, %is;
  .reg .b32 %block, %threads, %thread, %blocks, %passes, %writes, %sum;
  .reg .b32 %a<4>, %b<4>, %c<4>, %d<4>;
  .reg .b64 %memory, %words, %first, %i, %step, %part, %at<4>;
  ld.param.u64 %memory, [memory];
  ld.param.u64 %words, [words];
  ld.param.u32 %passes, [passes];
  ld.param.u32 %writes, [writes];
  cvta.to.global.u64 %memory, %memory;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %first, %block, %threads;
  cvt.u64.u32 %step, %thread;
  add.u64 %first, %first, %step;
  mul.wide.u32 %step, %blocks, %threads;
  shl.b64 %part, %words, 4;
  mov.u32 %sum, 0;
  setp.ne.u32 %is, %writes, 0;
pass:
  setp.eq.u32 %done, %passes, 0;
  @%done bra end;
  sub.u32 %passes, %passes, 1;
  mov.u64 %i, %first;
next:
  setp.ge.u64 %done, %i, %words;
  @%done bra pass;
  shl.b64 %at0, %i, 4;
  add.u64 %at0, %memory, %at0;
  add.u64 %at1, %at0, %part;
  add.u64 %at2, %at1, %part;
  add.u64 %at3, %at2, %part;
  add.u64 %i, %i, %step;
  @%is bra write;
  ld.global.cg.v4.u32 {%a0, %a1, %a2, %a3}, [%at0];
  ld.global.cg.v4.u32 {%b0, %b1, %b2, %b3}, [%at1];
  ld.global.cg.v4.u32 {%c0, %c1, %c2, %c3}, [%at2];
  ld.global.cg.v4.u32 {%d0, %d1, %d2, %d3}, [%at3];
  xor.b32 %a0, %a0, %b1;
  xor.b32 %c2, %c2, %d3;
  xor.b32 %a0, %a0, %c2;
  xor.b32 %sum, %sum, %a0;
  bra next;
write:
  st.global.v4.u32 [%at0], {%passes, %passes, %passes, %passes};
  st.global.v4.u32 [%at1], {%passes, %passes, %passes, %passes};
  st.global.v4.u32 [%at2], {%passes, %passes, %passes, %passes};
  st.global.v4.u32 [%at3], {%passes, %passes, %passes, %passes};
  bra next;
end:
  setp.eq.u32 %is, %sum, 0x5bd1e995;
  @%is st.global.u32 [%memory], %sum;
  ret;
}
)";

class RateMeter {
 public:
  RateMeter(std::shared_ptr<Context> context, CUstream stream)
      : context_(std::move(context)),
        stream_(stream),
        begin_(make_event(context_)),
        end_(make_event(context_)) {
    context_->enter();
    CUmodule loaded = nullptr;
    check(api().module_load(&loaded, kPassPtx));
    module_ = Module(loaded, {context_});
    check(api().module_function(&kernel_, loaded, "tailwave_pass"));
  }

  [[nodiscard]] MemoryRates measure() const {
    constexpr std::size_t kBytes = std::size_t{256} << 20;
    constexpr int kCopies = 4;  // between two events, so that their cost hardly counts
    constexpr int kPasses = 32;
    const CudaBuffer from(context_, kBytes, stream_), to(context_, kBytes, stream_);
    const auto cache_bytes = static_cast<std::size_t>(context_->limit(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    const std::size_t part = std::min(kBytes, cache_bytes / 4);
    MemoryRates rates;
    rates.copy = 2 * rate(kBytes * kCopies, [&] {
                   for (int copy = 0; copy < kCopies; ++copy)
                     check(api().copy(to.address(), from.address(), kBytes, stream_));
                 });
    rates.read = rate(kBytes, [&] { pass(to, kBytes, 1, false); });
    rates.write = rate(kBytes, [&] { pass(to, kBytes, 1, true); });
    rates.l2_read = rate(part * kPasses, [&] { pass(to, part, kPasses, false); });
    rates.l2_write = rate(part * kPasses, [&] { pass(to, part, kPasses, true); });
    return rates;
  }

 private:
  [[nodiscard]] const DriverApi& api() const { return context_->api(); }
  void check(CUresult result) const { context_->check(result, "measuring the rates of the memory"); }

  void pass(const CudaBuffer& over, std::size_t size_bytes, unsigned passes, bool is_write) const {
    constexpr unsigned kPassThreads = 256, kBlocksPerSm = 8;
    constexpr std::uint64_t kBytesAtOnce = 64;
    CUdeviceptr memory = over.address();
    std::uint64_t words = size_bytes / kBytesAtOnce;  // of each part
    unsigned writes = is_write ? 1 : 0;
    std::array<void*, 4> arguments{&memory, &words, &passes, &writes};
    const auto blocks =
        static_cast<unsigned>(context_->limit(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) * kBlocksPerSm;
    check(api().launch(kernel_, blocks, 1, 1, kPassThreads, 1, 1, 0, stream_, arguments.data(), nullptr));
  }

  // Bytes a second of what moves so many. The first time warms up.
  [[nodiscard]] double rate(std::size_t size_bytes, const std::function<void()>& queue) const {
    constexpr int kTimes = 8;
    double best = 0;
    for (int i = -1; i < kTimes; ++i) {
      check(api().event_record(begin_.get(), stream_));
      queue();
      check(api().event_record(end_.get(), stream_));
      check(api().stream_synchronize(stream_));
      float elapsed_ms = 0;
      check(api().event_elapsed(&elapsed_ms, begin_.get(), end_.get()));
      if (i >= 0 && elapsed_ms > 0)
        best = std::max(best, static_cast<double>(size_bytes) / (static_cast<double>(elapsed_ms) * 1e-3));
    }
    return best;
  }

  std::shared_ptr<Context> context_;
  CUstream stream_;
  Event begin_, end_;
  Module module_;
  CUfunction kernel_ = nullptr;
};

}  // namespace

MemoryRates measure_memory_rates(const std::shared_ptr<Context>& context, CUstream stream) {
  return RateMeter(context, stream).measure();
}

}  // namespace tailwave
#endif
