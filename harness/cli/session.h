#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "build/cache.h"
#include "build/nvrtc.h"
#include "device/remote_executor.h"
#include "occupancy/device_spec.h"
#include "tune/pipeline.h"

namespace tailwave {

// The compilers and executors that a command works with, made for one device.
class Session {
 public:
  // device: "auto" (the first CUDA device, else the CPU), "cuda:0", "cpu". What "auto" did not find is said in
  // one line on standard error. Throws Error (bad usage) for a device that is not there.
  // planned_for: on a CPU run, the GPU that occupancy is computed for; empty: no occupancy.
  Session(const std::string& device, const std::string& planned_for);
  ~Session();
  // Once it is true, what the devices work at is abandoned.
  void cancel_when(const std::function<bool()>& cancelled);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Toolchain& tools() const { return tools_; }
  [[nodiscard]] const DeviceDescription& device() const { return tools_.device->description(); }
  // The environment of a run, with everything that the session knows filled in.
  [[nodiscard]] RunRecord environment(const std::filesystem::path& project_root) const;

 private:
  void use_cuda(int ordinal);
  void use_cpu(const std::string& planned_for);

  // First, so that their processes are started before anything else is.
  std::unique_ptr<RemoteExecutor> host_device_, reference_device_, device_;
  ArtifactCache cache_{ArtifactCache::default_root()};
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::unique_ptr<Compiler> kernels_, host_, planner_;
  Toolchain tools_;
};

// The device whose occupancy a driver's description stands for; named as in occupancy/devices.json where it is
// known there.
DeviceSpec spec_of(const DeviceDescription& device);

}  // namespace tailwave
