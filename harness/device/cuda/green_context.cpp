#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/green_context.h"

#include <fmt/format.h>

namespace tailwave {
namespace {

// What the driver splits off all SMs of the device; what is left is nobody's.
CUdevResource split_off(Context& context, int sms, const std::string& doing) {
  const DriverApi& api = context.api();
  CUdevResource all{};
  context.check(api.device_resource(context.device(), &all, CU_DEV_RESOURCE_TYPE_SM), doing);
  if (std::cmp_greater(sms, all.sm.smCount))
    throw Failure(Outcome::exceeds_device_limit,
                  fmt::format("{} SMs exceed the {} that the device has", sms, all.sm.smCount));
  CUdevResource part{};
  unsigned groups = 1;
  context.check(api.split_sms(&part, &groups, &all, nullptr, 0, static_cast<unsigned>(sms)), doing);
  if (groups != 1 || std::cmp_less(part.sm.smCount, sms))
    throw Failure(Outcome::launch_failed,
                  fmt::format("{}: the driver gives {} groups of {} SMs", doing, groups, part.sm.smCount));
  return part;
}

std::shared_ptr<const GreenContext> make(const std::shared_ptr<Context>& context, CUdevResource part,
                                         const std::string& doing) {
  const DriverApi& api = context->api();
  CUdevResourceDesc described = nullptr;
  context->check(api.describe_resource(&described, &part, 1), doing);
  CUgreenCtx made = nullptr;
  context->check(api.green_create(&made, described, context->device(), CU_GREEN_CTX_DEFAULT_STREAM), doing);
  return std::make_shared<GreenContext>(context, made, static_cast<int>(part.sm.smCount));
}

}  // namespace

GreenContext::~GreenContext() {
  if (!context_->usable()) return;
  context_->enter();
  context_->api().green_destroy(handle_);
}

Stream GreenContext::make_stream() const {
  CUstream stream = nullptr;
  context_->check(context_->api().green_stream_create(&stream, handle_, CU_STREAM_NON_BLOCKING, 0),
                  "creating a stream of a green context");
  return Stream(stream, {context_});
}

std::shared_ptr<const GreenContext> GreenContexts::of(const std::shared_ptr<Context>& context, int sms) {
  if (!context->api().has_green_contexts())
    throw Failure(Outcome::launch_failed, "this driver has no green contexts (CUDA 12.5 or newer)");
  std::shared_ptr<const GreenContext>& asked = by_asked_[{context.get(), sms}];
  if (asked) return asked;
  context->enter();
  const std::string doing = fmt::format("a green context of {} SMs", sms);
  const CUdevResource part = split_off(*context, sms, doing);
  auto& granted = by_granted_[{context.get(), static_cast<int>(part.sm.smCount)}];
  if (!granted) granted = make(context, part, doing);
  return asked = granted;
}

}  // namespace tailwave
#endif
