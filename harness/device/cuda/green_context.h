#pragma once

#include <map>
#include <memory>

#include "device/cuda/context.h"

namespace tailwave {

// Some of a GPU's SMs: what is launched in its streams runs on them alone, in the context's memory and with its modules
// (CUDA Driver API, Green Contexts). Nobody else gets the others, and nothing keeps others away from these.
class GreenContext {
 public:
  // The handle becomes its own.
  GreenContext(std::shared_ptr<Context> context, CUgreenCtx handle, int sms)
      : context_(std::move(context)), handle_(handle), sms_(sms) {}
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  [[nodiscard]] int sms() const { return sms_; }
  // To be destroyed before this, which its driver does not wait for. Throws Failure.
  [[nodiscard]] Stream make_stream() const;

 private:
  std::shared_ptr<Context> context_;
  CUgreenCtx handle_;
  int sms_;
};

// The green contexts of a process, each made when it is asked for first: one for each number of SMs that the driver
// grants.
class GreenContexts {
 public:
  // At least so many SMs of the context's device, as few as the driver gives. Throws Failure: launch_failed where the
  // driver has no green contexts or does not make one, exceeds_device_limit for more SMs than there are.
  std::shared_ptr<const GreenContext> of(const std::shared_ptr<Context>& context, int sms);

 private:
  using Key = std::pair<const Context*, int>;
  std::map<Key, std::shared_ptr<const GreenContext>> by_asked_, by_granted_;
};

}  // namespace tailwave
