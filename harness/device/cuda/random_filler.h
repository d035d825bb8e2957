#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/context.h"
#include "device/random_fill.h"

namespace tailwave {

// Makes on a GPU what fill_randomly() makes: the same bytes.
class RandomFiller {
 public:
  // Throws Failure when the driver does not take its code.
  explicit RandomFiller(std::shared_ptr<Context> context);

  // Queues it; the context is entered.
  void enqueue(const RandomFill& fill, CUdeviceptr to, std::size_t size_bytes, CUstream stream);

 private:
  std::shared_ptr<Context> context_;
  Module module_;
  CUfunction kernel_ = nullptr;
};

}  // namespace tailwave
