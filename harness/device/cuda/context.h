#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "device/cuda/driver_api.h"

namespace tailwave {

class Nvshmem;

// A device's primary context. An error such as an illegal address poisons it for good, and CUDA in this process
// with it (cuda_device.h); the deleters below leave the handles of a poisoned context alone. Used from one thread
// at a time.
class Context {
 public:
  // Throws Failure with the driver's words.
  static std::shared_ptr<Context> create(std::shared_ptr<const DriverApi> api, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const DriverApi& api() const { return *api_; }
  [[nodiscard]] const std::shared_ptr<const DriverApi>& shared_api() const { return api_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUcontext handle() const { return handle_; }

  [[nodiscard]] bool usable() const { return usable_; }

  // A device attribute, asked for once.
  [[nodiscard]] int limit(CUdevice_attribute attribute);

  // The priority of launches and streams that the device has and that is nearest to a wanted one. Context current.
  [[nodiscard]] int nearest_priority(int wanted);

  // Makes the context current to the calling thread.
  void enter() const noexcept { api_->ctx_set_current(handle_); }

  // Lets kernels of this GPU reach the other's memory. Makes this context current. Throws Failure.
  void reach(const Context& other);

  // From now on its memory may be symmetric and its code linked with NVSHMEM, in which this process is an element. It
  // leaves NVSHMEM when it ends.
  void join(std::shared_ptr<Nvshmem> nvshmem) { nvshmem_ = std::move(nvshmem); }
  [[nodiscard]] const Nvshmem* nvshmem() const { return nvshmem_.get(); }  // null: it is none

  // Throws Failure("<doing>: <driver's words>") unless the result is a success; remembers what poisons.
  void check(CUresult result, std::string_view doing);
  // Also for a launch that does not end: nothing could be freed without waiting for it.
  void poison() noexcept { usable_ = false; }

 private:
  explicit Context(std::shared_ptr<const DriverApi> api) : api_(std::move(api)) {}

  std::shared_ptr<const DriverApi> api_;
  CUdevice device_ = 0;
  CUcontext handle_ = nullptr;
  bool usable_ = false;
  std::shared_ptr<Nvshmem> nvshmem_;
  std::map<CUdevice_attribute, int> limits_;
};

// Deleter for driver handles: calls the named member of DriverApi while the context lives.
template <auto destroy>
struct DestroyInContext {
  std::shared_ptr<const Context> context;

  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    if (!context->usable()) return;
    context->enter();
    (context->api().*destroy)(handle);
  }
};

using Stream = std::unique_ptr<CUstream_st, DestroyInContext<&DriverApi::stream_destroy>>;
using Event = std::unique_ptr<CUevent_st, DestroyInContext<&DriverApi::event_destroy>>;
using Module = std::unique_ptr<CUmod_st, DestroyInContext<&DriverApi::module_unload>>;
using Graph = std::unique_ptr<CUgraph_st, DestroyInContext<&DriverApi::graph_destroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyInContext<&DriverApi::graph_exec_destroy>>;
using HostMemory = std::unique_ptr<void, DestroyInContext<&DriverApi::host_free>>;

Stream make_stream(const std::shared_ptr<Context>& context);  // does not wait for the default stream
Event make_event(const std::shared_ptr<Context>& context, unsigned flags = CU_EVENT_DEFAULT);
HostMemory make_mapped_memory(const std::shared_ptr<Context>& context, std::size_t size_bytes);

}  // namespace tailwave
