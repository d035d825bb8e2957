#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/random_filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/normal_quantile.h"
#include "core/random.h"
#include "device/cuda/driver_api.h"

namespace tailwave {
namespace {

// A thread makes element after element as device/random_fill.cpp does. Nothing is fused, so that it rounds as the host
// does. What stands in {} is filled in below.
constexpr std::string_view kFillPtx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry tailwave_fill(.param .u64 to, .param .u64 count, .param .u64 base, .param .u32 distribution,
                              .param .f64 low, .param .f64 width, .param .u64 first, .param .u64 range,
                              .param .u32 right_bits, .param .u64 left_mask, .param .u64 right_mask,
                              .param .u32 form, .param .f64 least, .param .f64 most, .param .f64 scale,
                              .param .u32 dropped)
{{
  .reg .pred %done, %is, %negative;
  .reg .b32 %block, %threads, %thread, %blocks, %form, %distribution, %dropped, %kept, %right_bits;
  .reg .f32 %single;
  .reg .f64 %low, %width, %value, %least, %most, %scale, %tail, %square, %above, %below, %exponent;
  .reg .b64 %odd, %half, %sign, %to, %count, %base, %i, %step, %state, %mixed, %at, %whole;
  .reg .b64 %first, %range, %left, %right, %left_mask, %right_mask;
  ld.param.u64 %to, [to];
  ld.param.u64 %count, [count];
  ld.param.u64 %base, [base];
  ld.param.u32 %distribution, [distribution];
  ld.param.f64 %low, [low];
  ld.param.f64 %width, [width];
  ld.param.u64 %first, [first];
  ld.param.u64 %range, [range];
  ld.param.u32 %right_bits, [right_bits];
  ld.param.u64 %left_mask, [left_mask];
  ld.param.u64 %right_mask, [right_mask];
  ld.param.u32 %form, [form];
  ld.param.f64 %least, [least];
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
  setp.eq.u32 %is, %distribution, {permutation};
  @%is bra permuted;
  add.u64 %state, %i, 1;
{bits_of_element}  setp.eq.u32 %is, %distribution, {integers};
  @%is bra integer;
  setp.eq.u32 %is, %distribution, {normal};
  @%is bra normal;
  shr.u64 %state, %state, 11;
  cvt.rn.f64.u64 %value, %state;
  mul.rn.f64 %value, %width, %value;
  mul.rn.f64 %value, %value, 0d3CA0000000000000;
  bra shift;
normal:
  shr.u64 %state, %state, 12;
  cvt.rn.f64.u64 %value, %state;
  add.rn.f64 %value, %value, 0d3FE0000000000000;
  mul.rn.f64 %value, %value, 0d3CB0000000000000;
  sub.rn.f64 %tail, 0d3FF0000000000000, %value;
  sub.rn.f64 %low, %value, 0d3FE0000000000000;
  setp.lt.f64 %negative, %low, 0d0000000000000000;
  selp.f64 %tail, %value, %tail, %negative;
  abs.f64 %value, %low;
  setp.gt.f64 %is, %value, {centre_end};
  @%is bra tail;
  mul.rn.f64 %square, %low, %low;
  sub.rn.f64 %square, {centre_square}, %square;
{centre}  mul.rn.f64 %value, %value, %low;
  bra scaled;
tail:
  mov.b64 %whole, %tail;
  shr.u64 %mixed, %whole, 52;
  sub.s64 %mixed, %mixed, 1023;
  cvt.rn.f64.s64 %exponent, %mixed;
  and.b64 %whole, %whole, 0x000FFFFFFFFFFFFF;
  or.b64 %whole, %whole, 0x3FF0000000000000;
  mov.b64 %value, %whole;
  setp.gt.f64 %is, %value, {sqrt_2};
  @%is mul.rn.f64 %value, %value, 0d3FE0000000000000;
  @%is add.rn.f64 %exponent, %exponent, 0d3FF0000000000000;
  sub.rn.f64 %above, %value, 0d3FF0000000000000;
  add.rn.f64 %below, %value, 0d3FF0000000000000;
  div.rn.f64 %tail, %above, %below;
  mul.rn.f64 %square, %tail, %tail;
{log_series}  add.rn.f64 %tail, %tail, %tail;
  mul.rn.f64 %value, %tail, %value;
  mul.rn.f64 %exponent, %exponent, {ln_2};
  add.rn.f64 %value, %exponent, %value;
  neg.f64 %value, %value;
  sqrt.rn.f64 %value, %value;
  setp.gt.f64 %is, %value, {far_tail_shift};
  @%is bra far_tail;
  sub.rn.f64 %square, %value, {tail_shift};
{near_tail}  bra signed;
far_tail:
  sub.rn.f64 %square, %value, {far_tail_shift};
{outer_tail}signed:
  @%negative neg.f64 %value, %value;
scaled:
  ld.param.f64 %low, [low];
  mul.rn.f64 %value, %width, %value;
shift:
  add.rn.f64 %value, %low, %value;
  max.f64 %value, %value, %least;
  min.f64 %value, %value, %most;
rounded:
  setp.eq.u32 %is, %form, 0;
  @%is bra as_float;
  setp.eq.u32 %is, %form, 1;
  @%is bra as_double;
  setp.eq.u32 %is, %form, 6;
  @%is bra as_unsigned_long;
  setp.gt.u32 %is, %form, 6;
  @%is bra as_small;
  cvt.rmi.s64.f64 %whole, %value;
store_whole:
  setp.eq.u32 %is, %form, 2;
  @%is bra as_byte;
  setp.eq.u32 %is, %form, 3;
  @%is bra as_short;
  setp.eq.u32 %is, %form, 4;
  @%is bra as_int;
  bra as_long;
integer:
  mul.hi.u64 %whole, %state, %range;
  setp.eq.u64 %is, %range, 0;
  selp.b64 %whole, %state, %whole, %is;
  add.u64 %whole, %whole, %first;
  bra whole_number;
permuted:
  mov.u64 %whole, %i;
walk:
  shr.u64 %left, %whole, %right_bits;
  and.b64 %right, %whole, %right_mask;
{rounds}  shl.b64 %whole, %left, %right_bits;
  or.b64 %whole, %whole, %right;
  setp.ge.u64 %is, %whole, %range;
  @%is bra walk;
whole_number:
  setp.lt.u32 %is, %form, 2;
  @%is bra as_real;
  setp.gt.u32 %is, %form, 6;
  @!%is bra store_whole;
as_real:
  cvt.rn.f64.s64 %value, %whole;
  bra rounded;
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
}}
)";

std::string number_text(double number) {
  return fmt::format("0d{:016X}", std::bit_cast<std::uint64_t>(number));
}

// split_mix(base + %state * gamma) to %state.
std::string bits_of_state() {
  return fmt::format(R"(  mad.lo.u64 %state, %state, {:#X}, %base;
  shr.u64 %mixed, %state, 30;
  xor.b64 %state, %state, %mixed;
  mul.lo.u64 %state, %state, 0xBF58476D1CE4E5B9;
  shr.u64 %mixed, %state, 27;
  xor.b64 %state, %state, %mixed;
  mul.lo.u64 %state, %state, 0x94D049BB133111EB;
  shr.u64 %mixed, %state, 31;
  xor.b64 %state, %state, %mixed;
)",
                     kGoldenGamma);
}

std::string rounds_text() {
  std::string text;
  for (unsigned round = 0; round < Feistel::kRounds; ++round) {
    const char *const from = round % 2 == 0 ? "right" : "left", *const to = round % 2 == 0 ? "left" : "right";
    text += fmt::format("  mul.lo.u64 %state, %{}, {};\n  add.u64 %state, %state, {};\n", from,
                        Feistel::kRounds, round + 1);
    text += bits_of_state();
    text += fmt::format("  and.b64 %state, %state, %{0}_mask;\n  xor.b64 %{0}, %{0}, %state;\n", to);
  }
  return text;
}

// Of %square, to `result`.
template <std::size_t count>
std::string polynomial_text(const char* result, const std::array<double, count>& coefficients) {
  std::string text = fmt::format("  mov.f64 {}, {};\n", result, number_text(coefficients[0]));
  for (std::size_t i = 1; i < count; ++i)
    text += fmt::format("  mul.rn.f64 {0}, {0}, %square;\n  add.rn.f64 {0}, {0}, {1};\n", result,
                        number_text(coefficients[i]));
  return text;
}

// To %value.
std::string quotient_text(const normal_quantile::Quotient& of) {
  return polynomial_text("%above", of.above) + polynomial_text("%below", of.below) +
         "  div.rn.f64 %value, %above, %below;\n";
}

std::string fill_ptx() {
  using namespace normal_quantile;
  return fmt::format(
      kFillPtx, fmt::arg("permutation", static_cast<int>(Distribution::permutation)),
      fmt::arg("integers", static_cast<int>(Distribution::integers)),
      fmt::arg("normal", static_cast<int>(Distribution::normal)),
      fmt::arg("bits_of_element", bits_of_state()), fmt::arg("centre_end", number_text(kCentreEnd)),
      fmt::arg("centre_square", number_text(kCentreSquare)), fmt::arg("centre", quotient_text(kCentre)),
      fmt::arg("sqrt_2", number_text(kSqrt2)), fmt::arg("log_series", polynomial_text("%value", kLogSeries)),
      fmt::arg("ln_2", number_text(kLn2)), fmt::arg("far_tail_shift", number_text(kFarTailShift)),
      fmt::arg("tail_shift", number_text(kTailShift)), fmt::arg("near_tail", quotient_text(kTail)),
      fmt::arg("outer_tail", quotient_text(kFarTail)), fmt::arg("rounds", rounds_text()));
}

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

RandomFiller::RandomFiller(std::shared_ptr<Context> context) : context_(std::move(context)) {
  context_->enter();
  CUmodule loaded = nullptr;
  context_->check(context_->api().module_load(&loaded, fill_ptx().c_str()),
                  "loading what makes random numbers");
  module_ = Module(loaded, {context_});
  context_->check(context_->api().module_function(&kernel_, loaded, "tailwave_fill"),
                  "loading what makes random numbers");
}

void RandomFiller::enqueue(const RandomFill& fill, CUdeviceptr to, std::size_t size_bytes, CUstream stream) {
  constexpr std::uint64_t kThreads = 256, kElementsAThread = 4, kBlocksPerSm = 8;
  std::uint64_t count = size_bytes / tailwave::size_bytes(fill.type);
  if (count == 0) return;
  const auto most_blocks =
      static_cast<std::uint64_t>(context_->limit(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) * kBlocksPerSm;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>(count / (kThreads * kElementsAThread), 1, most_blocks));
  std::uint64_t base = counter_base(fill);
  auto distribution = static_cast<unsigned>(fill.distribution);
  const bool is_normal = fill.distribution == Distribution::normal,
             is_permuted = fill.distribution == Distribution::permutation;
  double low = is_normal ? fill.mean : fill.low, width = is_normal ? fill.deviation : fill.high - fill.low;
  std::int64_t first = fill.least;
  std::uint64_t range = is_permuted ? fill.count : range_of(fill);
  auto [right_bits, left_mask, right_mask] = feistel_of(is_permuted ? fill.count : 1);
  unsigned form = form_of(fill.type);
  auto [least, most] = value_bounds(fill);
  auto [scale, dropped] = shortening_of(fill.type);
  std::array<void*, 16> arguments{&to,    &count, &base,       &distribution, &low,        &width,
                                  &first, &range, &right_bits, &left_mask,    &right_mask, &form,
                                  &least, &most,  &scale,      &dropped};
  context_->check(
      context_->api().launch(kernel_, blocks, 1, 1, kThreads, 1, 1, 0, stream, arguments.data(), nullptr),
      "making random numbers");
}

}  // namespace tailwave
#endif
