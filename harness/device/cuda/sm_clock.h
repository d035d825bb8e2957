#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "device/cuda/context.h"

namespace tailwave {

// Measures the clock of one multiprocessor by a kernel of one thread that compares clock64 with %globaltimer for 8
// us. The kernel is PTX, which the driver compiles for the device when the context is new.
class SmClock {
 public:
  explicit SmClock(std::shared_ptr<Context> context);

  // Loads the kernel and tries it on an idle stream; supported() tells how that went. Throws Failure only when the
  // context is lost.
  void probe(CUstream stream);
  [[nodiscard]] bool supported() const { return reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // why not, in the driver's words

  // Measurements that may be queued at a time, each with a number.
  static constexpr std::size_t kAtOnce = 2;
  // Queues a measurement; does nothing when not supported.
  CUresult enqueue(CUstream stream, std::size_t number) noexcept;
  // What the last one of that number found, when the stream has come to it; empty when it did not run.
  [[nodiscard]] std::optional<double> mhz(std::size_t number) const;

 private:
  CUresult load();

  std::shared_ptr<Context> context_;
  Module module_;
  CUfunction kernel_ = nullptr;
  HostMemory differences_;  // of clock64 and of %globaltimer, for each number
  CUdeviceptr differences_on_device_ = 0;
  std::string reason_ = "not tried";
};

}  // namespace tailwave
