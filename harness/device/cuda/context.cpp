#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/cuda/nvshmem.h"

namespace tailwave {

std::shared_ptr<Context> Context::create(std::shared_ptr<const DriverApi> api, int ordinal) {
  std::shared_ptr<Context> context(new Context(std::move(api)));
  context->check(context->api().device_get(&context->device_, ordinal), "finding the device");
  // Local memory that shrinks after a launch would have to grow again in the next, which waits for the
  // device. Refused when another library has the context in use already: then its flags stay.
  context->api().primary_set_flags(context->device_, CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SCHED_AUTO);
  context->check(context->api().primary_retain(&context->handle_, context->device_), "creating a context");
  context->usable_ = true;
  context->enter();
  return context;
}

Context::~Context() {
  if (!usable_) return;
  enter();
  nvshmem_.reset();
  api_->primary_release(device_);
}

void Context::reach(const Context& other) {
  enter();
  const CUresult result = api_->enable_peer_access(other.handle_, 0);
  if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) check(result, "reaching the memory of another GPU");
}

int Context::limit(CUdevice_attribute attribute) {
  if (const auto known = limits_.find(attribute); known != limits_.end()) return known->second;
  int value = 0;
  check(api_->device_attribute(&value, attribute, device_), "reading a device attribute");
  return limits_[attribute] = value;
}

int Context::nearest_priority(int wanted) {
  int least = 0, greatest = 0;
  check(api_->priority_range(&least, &greatest), "asking for the priorities");
  return std::clamp(wanted, greatest, least);
}

void Context::check(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return;
  if (poisons_context(result)) poison();
  throw Failure(outcome_of(result), fmt::format("{}: {}", doing, api_->describe(result)));
}

Stream make_stream(const std::shared_ptr<Context>& context) {
  CUstream stream = nullptr;
  context->check(context->api().stream_create(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  return Stream(stream, {context});
}

Event make_event(const std::shared_ptr<Context>& context, unsigned flags) {
  CUevent event = nullptr;
  context->check(context->api().event_create(&event, flags), "creating an event");
  return Event(event, {context});
}

HostMemory make_mapped_memory(const std::shared_ptr<Context>& context, std::size_t size_bytes) {
  void* memory = nullptr;
  context->check(context->api().host_alloc(&memory, size_bytes, CU_MEMHOSTALLOC_DEVICEMAP),
                 "allocating mapped host memory");
  return HostMemory(memory, {context});
}

}  // namespace tailwave
#endif
