#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/uniform_filler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device/cuda/driver_api.h"

namespace tailwave {
namespace {

// A thread makes element after element. Nothing is fused, so that it rounds as the host does.
constexpr const char* kFillPtx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry tailwave_fill(.param .u64 to, .param .u64 count, .param .u64 base, .param .f64 low,
                              .param .f64 width, .param .u32 form, .param .f64 most, .param .f64 scale,
                              .param .u32 dropped)
{
  .reg .pred %done, %is;
  .reg .b32 %block, %threads, %thread, %blocks, %form;
  .reg .f32 %single;
  .reg .f64 %low, %width, %value, %most;
  .reg .b32 %dropped, %kept;
  .reg .f64 %scale;
  .reg .b64 %odd, %half, %sign, %to, %count, %base, %i, %step, %state, %mixed, %at, %whole;
  ld.param.u64 %to, [to];
  ld.param.u64 %count, [count];
  ld.param.u64 %base, [base];
  ld.param.f64 %low, [low];
  ld.param.f64 %width, [width];
  ld.param.u32 %form, [form];
  ld.param.f64 %most, [most];
  ld.param.f64 %scale, [scale];
  ld.param.u32 %dropped, [dropped];
  cvta.to.global.u64 %to, %to;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %i, %block, %threads;
  cvt.u64.u32 %step, %thread;
  add.u64 %i, %i, %step;
  mul.wide.u32 %step, %blocks, %threads;
next:
  setp.ge.u64 %done, %i, %count;
  @%done bra end;
  add.u64 %state, %i, 1;
  mad.lo.u64 %state, %state, 0x9E3779B97F4A7C15, %base;
  shr.u64 %mixed, %state, 30;
  xor.b64 %state, %state, %mixed;
  mul.lo.u64 %state, %state, 0xBF58476D1CE4E5B9;
  shr.u64 %mixed, %state, 27;
  xor.b64 %state, %state, %mixed;
  mul.lo.u64 %state, %state, 0x94D049BB133111EB;
  shr.u64 %mixed, %state, 31;
  xor.b64 %state, %state, %mixed;
  shr.u64 %state, %state, 11;
  cvt.rn.f64.u64 %value, %state;
  mul.rn.f64 %value, %width, %value;
  mul.rn.f64 %value, %value, 0d3CA0000000000000;
  add.rn.f64 %value, %low, %value;
  min.f64 %value, %value, %most;
  setp.eq.u32 %is, %form, 0;
  @%is bra as_float;
  setp.eq.u32 %is, %form, 1;
  @%is bra as_double;
  setp.eq.u32 %is, %form, 6;
  @%is bra as_unsigned_long;
  setp.gt.u32 %is, %form, 6;
  @%is bra as_small;
  cvt.rmi.s64.f64 %whole, %value;
  setp.eq.u32 %is, %form, 2;
  @%is bra as_byte;
  setp.eq.u32 %is, %form, 3;
  @%is bra as_short;
  setp.eq.u32 %is, %form, 4;
  @%is bra as_int;
  bra as_long;
as_float:
  cvt.rn.f32.f64 %single, %value;
  shl.b64 %at, %i, 2;
  add.u64 %at, %to, %at;
  st.global.f32 [%at], %single;
  bra filled;
as_double:
  shl.b64 %at, %i, 3;
  add.u64 %at, %to, %at;
  st.global.f64 [%at], %value;
  bra filled;
as_byte:
  add.u64 %at, %to, %i;
  st.global.u8 [%at], %whole;
  bra filled;
as_short:
  shl.b64 %at, %i, 1;
  add.u64 %at, %to, %at;
  st.global.u16 [%at], %whole;
  bra filled;
as_int:
  shl.b64 %at, %i, 2;
  add.u64 %at, %to, %at;
  st.global.u32 [%at], %whole;
  bra filled;
as_small:
  mov.b64 %whole, %value;
  shr.u64 %sign, %whole, 63;
  abs.f64 %value, %value;
  mul.rn.f64 %value, %value, %scale;
  mov.b64 %whole, %value;
  shr.u64 %odd, %whole, %dropped;
  and.b64 %odd, %odd, 1;
  sub.u32 %kept, %dropped, 1;
  mov.u64 %half, 1;
  shl.b64 %half, %half, %kept;
  sub.u64 %half, %half, 1;
  add.u64 %whole, %whole, %half;
  add.u64 %whole, %whole, %odd;
  shr.u64 %whole, %whole, %dropped;
  setp.eq.u32 %is, %form, 7;
  selp.u32 %kept, 7, 15, %is;
  shl.b64 %sign, %sign, %kept;
  or.b64 %whole, %whole, %sign;
  @%is bra as_byte;
  bra as_short;
as_unsigned_long:
  cvt.rmi.u64.f64 %whole, %value;
as_long:
  shl.b64 %at, %i, 3;
  add.u64 %at, %to, %at;
  st.global.u64 [%at], %whole;
filled:
  add.u64 %i, %i, %step;
  bra next;
end:
  ret;
}
)";

// How an element is stored, as the code above counts.
unsigned form_of(ScalarType type) {
  if (is_small_float(type)) return size_bytes(type) == 1 ? 7 : 8;
  if (is_real(type)) return size_bytes(type) == 4 ? 0 : 1;
  if (type == ScalarType::uint64) return 6;
  switch (size_bytes(type)) {
    case 1:
      return 2;
    case 2:
      return 3;
    case 4:
      return 4;
    default:
      return 5;
  }
}

// What of a float64 becomes a small number: times the scale it has that one's exponent, and then bits are dropped.
struct Shortening {
  double scale = 1;
  unsigned dropped = 1;
};
Shortening shortening_of(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) {
    constexpr int kMantissa = 52, kBias = 1023;
    if constexpr (kIsSmallFloat<Number>)
      return Shortening{std::ldexp(1.0, Number::kBias - kBias),
                        static_cast<unsigned>(kMantissa + 1 - std::numeric_limits<Number>::digits)};
    return Shortening{};
  });
}

}  // namespace

UniformFiller::UniformFiller(std::shared_ptr<Context> context) : context_(std::move(context)) {
  context_->enter();
  CUmodule loaded = nullptr;
  context_->check(context_->api().module_load(&loaded, kFillPtx), "loading what makes random numbers");
  module_ = Module(loaded, {context_});
  context_->check(context_->api().module_function(&kernel_, loaded, "tailwave_fill"),
                  "loading what makes random numbers");
}

void UniformFiller::enqueue(const UniformFill& fill, CUdeviceptr to, std::size_t size_bytes,
                            CUstream stream) {
  constexpr std::uint64_t kThreads = 256, kElementsAThread = 4, kBlocksPerSm = 8;
  std::uint64_t count = size_bytes / tailwave::size_bytes(fill.type);
  if (count == 0) return;
  const auto most_blocks =
      static_cast<std::uint64_t>(context_->limit(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) * kBlocksPerSm;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>(count / (kThreads * kElementsAThread), 1, most_blocks));
  std::uint64_t base = counter_base(fill);
  double low = fill.low, width = fill.high - fill.low;
  unsigned form = form_of(fill.type);
  double most = largest_number(fill);
  auto [scale, dropped] = shortening_of(fill.type);
  std::array<void*, 9> arguments{&to, &count, &base, &low, &width, &form, &most, &scale, &dropped};
  context_->check(
      context_->api().launch(kernel_, blocks, 1, 1, kThreads, 1, 1, 0, stream, arguments.data(), nullptr),
      "making random numbers");
}

}  // namespace tailwave
#endif
