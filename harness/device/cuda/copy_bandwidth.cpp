#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/copy_bandwidth.h"

#include <vector>

#include "core/statistics.h"
#include "device/cuda/memory.h"

namespace tailwave {

double measure_copy_bandwidth(const std::shared_ptr<Context>& context, CUstream stream) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr int kCopies = 4;  // between two events, so that their cost hardly counts
  constexpr int kTimes = 11;
  const DriverApi& api = context->api();
  const CudaBuffer from(context, kBytes, stream);
  const CudaBuffer to(context, kBytes, stream);
  const Event begin = make_event(context);
  const Event end = make_event(context);
  std::vector<double> seconds;
  for (int i = -1; i < kTimes; ++i) {  // the first one warms up
    context->check(api.event_record(begin.get(), stream), "recording an event");
    for (int copy = 0; copy < kCopies; ++copy)
      context->check(api.copy_on_device(to.address(), from.address(), kBytes, stream),
                     "copying on the device");
    context->check(api.event_record(end.get(), stream), "recording an event");
    context->check(api.stream_synchronize(stream), "copying on the device");
    float elapsed_ms = 0;
    context->check(api.event_elapsed(&elapsed_ms, begin.get(), end.get()), "reading the events");
    if (i >= 0) seconds.push_back(static_cast<double>(elapsed_ms) * 1e-3);
  }
  return 2.0 * kBytes * kCopies / median(seconds);
}

}  // namespace tailwave
#endif
