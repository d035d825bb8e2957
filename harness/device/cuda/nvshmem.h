#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "device/cuda/driver_api.h"
#include "spec/scalar_type.h"

namespace tailwave {

// NVIDIA's library for memory that several GPUs' processes share, loaded with dlopen; in a process that is one of its
// processing elements, for as long as the process lives. It works in the context that is current.
class Nvshmem {
 public:
  // Null when it cannot be loaded, with one line in `why_not`. Sets what it reads of the environment unless that is set:
  // its processes are on one machine, and what they share is allocated at once, since a process that has confined itself
  // could not pass descriptors for more: `symmetric_bytes` on each GPU. To be called before other threads start.
  static std::shared_ptr<Nvshmem> load(const std::filesystem::path& host_library, std::size_t symmetric_bytes,
                                       std::string& why_not);
  ~Nvshmem();
  Nvshmem(const Nvshmem&) = delete;
  Nvshmem& operator=(const Nvshmem&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }  // "3.4.5"

  // By what the others find this process, which is to be the first. All functions from here on throw Failure.
  [[nodiscard]] std::string unique_id() const;
  // Becomes one of so many, and waits for them.
  void join(int pe, int pes, const std::string& unique_id);

  // Code that was linked with the device library, before it runs and before it goes.
  void add(CUmodule module) const;
  void remove(CUmodule module) const noexcept;

  // The same in all of them, which wait for each other.
  [[nodiscard]] CUdeviceptr allocate(std::size_t size_bytes) const;
  void release(CUdeviceptr memory) const noexcept;

  // Queued in a stream, in each of them. A sum is that of each of `count` elements.
  void barrier(CUstream stream) const;
  void sum(ScalarType type, CUdeviceptr memory, std::size_t count, CUstream stream) const;

 private:
  struct Api;
  explicit Nvshmem(std::unique_ptr<Api> api);

  std::unique_ptr<Api> api_;
  std::string version_;
  bool joined_ = false;
};

}  // namespace tailwave
