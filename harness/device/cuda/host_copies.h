#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/context.h"
#include "device/cuda/memory.h"
#include "device/executor.h"

namespace tailwave {

// Copies between the host's memory and buffers, of this GPU or of one that it reaches. Each throws Failure where the
// driver does.
class HostCopies {
 public:
  // `stream` is the one in which the work of this GPU is queued.
  HostCopies(std::shared_ptr<Context> context, CUstream stream);

  // As Executor::upload(). The context of `to` is entered.
  void upload(const CudaBuffer& to, const Executor::Produce& produce) const;

  // As Executor::read().
  [[nodiscard]] std::vector<std::string> read(const Reading& reading) const;

 private:
  [[nodiscard]] const DriverApi& api() const { return context_->api(); }
  void wait_for(CUstream stream, const char* doing) const;

  std::shared_ptr<Context> context_;
  CUstream stream_;
  HostMemory staging_;  // pinned
};

}  // namespace tailwave
