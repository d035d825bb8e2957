#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/context.h"
#include "device/executor.h"

namespace tailwave {

// Memory between two zones of kGuardBytes bytes that hold a pattern. The memory itself begins at a
// multiple of 512 bytes, as linear memory of a texture has to; the zone behind follows its last byte at once.
class CudaBuffer final : public Buffer {
 public:
  static constexpr std::size_t kGuardBytes = 512;

  // `stream`, of the same context, orders all that is done to the memory from the host's side, the filling of the guard
  // zones first. Symmetric memory is that of the context's Nvshmem. The GPU is the context's, whatever `place` says. Throws
  // Failure(out_of_memory).
  CudaBuffer(std::shared_ptr<Context> context, std::size_t size_bytes, CUstream stream,
             const Placement& place = {});
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  // By which kernels and copies reach it, those of pageable memory copies alone on most machines.
  [[nodiscard]] CUdeviceptr address() const { return base_ + before_ + kGuardBytes; }
  [[nodiscard]] MemoryKind memory() const { return memory_; }
  // Of pinned and pageable memory the same for this process; else null.
  [[nodiscard]] std::byte* on_host() const {
    return on_host_ == nullptr ? nullptr : static_cast<std::byte*>(on_host_) + kGuardBytes;
  }
  // Queues the reading of both guard zones into 2 * kGuardBytes of pinned host memory.
  void read_guards(std::byte* pinned) const;
  // The same for memory of which only address() and size_bytes() are known, such as another process's.
  static void read_guards(Context& context, CUdeviceptr address, std::size_t size_bytes, CUstream stream,
                          std::byte* pinned);
  // Of both zones around `size_bytes` as they were read: empty when they are intact, else a sentence: which side, first
  // damaged byte's offset.
  [[nodiscard]] static std::string damage_in(const std::byte* zones, std::size_t size_bytes);
  // By which another process maps it. Empty where the driver gives none.
  struct Shared {
    CUipcMemHandle handle;
    std::size_t offset;  // of the memory itself, in bytes
  };
  [[nodiscard]] std::vector<std::byte> share() const;  // the bytes of a Shared
  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] const Context& context() const { return *context_; }
  [[nodiscard]] const std::shared_ptr<Context>& shared_context() const { return context_; }

 private:
  void allocate(std::size_t size_bytes);
  void allocate_on_host(std::size_t size_bytes);
  void release() const noexcept;

  std::shared_ptr<Context> context_;
  std::size_t size_bytes_;
  CUstream stream_;
  MemoryKind memory_;
  std::size_t before_ = 0;
  CUdeviceptr base_ = 0;
  void* on_host_ = nullptr;  // base_, of the host's memory
};

}  // namespace tailwave
