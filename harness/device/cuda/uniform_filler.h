#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/context.h"
#include "device/uniform_fill.h"

namespace tailwave {

// Makes on a GPU what fill_uniformly() makes: the same bytes.
class UniformFiller {
 public:
  // Throws Failure when the driver does not take its code.
  explicit UniformFiller(std::shared_ptr<Context> context);

  // Queues it; the context is entered.
  void enqueue(const UniformFill& fill, CUdeviceptr to, std::size_t size_bytes, CUstream stream);

 private:
  std::shared_ptr<Context> context_;
  Module module_;
  CUfunction kernel_ = nullptr;
};

}  // namespace tailwave
