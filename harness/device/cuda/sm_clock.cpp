#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/sm_clock.h"

#include <array>
#include <cstdint>
#include <utility>

namespace tailwave {
namespace {

// Begins at a step of %globaltimer, which may be a microsecond wide, and so ends at one.
constexpr const char* kPtx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry tailwave_sm_clock(.param .u64 differences)
{
  .reg .pred %again;
  .reg .b64 %out, %begin, %time, %elapsed, %first, %last;
  ld.param.u64 %out, [differences];
  cvta.to.global.u64 %out, %out;
  mov.u64 %time, %globaltimer;
step:
  mov.u64 %begin, %globaltimer;
  setp.eq.u64 %again, %begin, %time;
  @%again bra step;
  mov.u64 %first, %clock64;
wait:
  mov.u64 %time, %globaltimer;
  sub.u64 %elapsed, %time, %begin;
  setp.lt.u64 %again, %elapsed, 8000;
  @%again bra wait;
  mov.u64 %last, %clock64;
  sub.u64 %last, %last, %first;
  st.global.u64 [%out], %last;
  st.global.u64 [%out+8], %elapsed;
  ret;
}
)";

using Differences = std::array<std::uint64_t, 2>;

Differences& differences_of(const HostMemory& all, std::size_t number) {
  return static_cast<Differences*>(all.get())[number];
}

}  // namespace

SmClock::SmClock(std::shared_ptr<Context> context)
    : context_(std::move(context)),
      differences_(make_mapped_memory(context_, kAtOnce * sizeof(Differences))) {
  context_->check(context_->api().host_device_pointer(&differences_on_device_, differences_.get(), 0),
                  "mapping host memory");
}

CUresult SmClock::load() {
  const DriverApi& api = context_->api();
  CUmodule loaded = nullptr;
  const CUresult result = api.module_load(&loaded, kPtx);
  if (result != CUDA_SUCCESS) return result;
  module_ = Module(loaded, {context_});
  return api.module_function(&kernel_, loaded, "tailwave_sm_clock");
}

void SmClock::probe(CUstream stream) {
  reason_ = "";
  // The first launch is made here, since it may wait for the device, and later ones follow a held stream.
  CUresult result = load();
  if (result == CUDA_SUCCESS) result = enqueue(stream, 0);
  if (result == CUDA_SUCCESS) result = context_->api().stream_synchronize(stream);
  if (poisons_context(result)) context_->check(result, "measuring the SM clock");
  if (result != CUDA_SUCCESS) {
    reason_ = context_->api().describe(result);
  } else if (!mhz(0)) {
    reason_ = "%globaltimer does not advance";
  }
}

CUresult SmClock::enqueue(CUstream stream, std::size_t number) noexcept {
  differences_of(differences_, number) = {};
  if (!supported()) return CUDA_SUCCESS;
  CUdeviceptr out = differences_on_device_ + number * sizeof(Differences);
  std::array<void*, 1> arguments{&out};
  return context_->api().launch(kernel_, 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr);
}

std::optional<double> SmClock::mhz(std::size_t number) const {
  const auto [cycles, nanoseconds] = differences_of(differences_, number);
  if (cycles == 0 || nanoseconds == 0) return std::nullopt;
  return static_cast<double>(cycles) / static_cast<double>(nanoseconds) * 1e3;
}

}  // namespace tailwave
#endif
