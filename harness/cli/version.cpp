#include "cli/version.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "compile/cpu/toolchain.h"
#include "compile/device_linker.h"
#include "compile/nvrtc.h"
#include "compile/nvshmem_home.h"
#include "core/sandbox.h"
#include "core/version.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/nvml.h"

namespace tailwave {
namespace {

std::string describe_nvrtc() {
  std::string why_not;
  const auto nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) return "none: " + why_not;
  return fmt::format("{}, {}; {}", nvrtc->version(), nvrtc->file().string(),
                     nvrtc->include_folders().empty() ? std::string("no CUDA headers")
                                                      : nvrtc->include_folders().front().string());
}

// With the linker that it needs.
std::string describe_nvshmem() {
  std::string why_not;
  const auto nvrtc = NvrtcLibrary::load(why_not);
  const std::filesystem::path beside = nvrtc ? nvrtc->file() : "";
  const auto nvshmem = find_nvshmem(beside, why_not);
  if (!nvshmem) return "none: " + why_not;
  const auto linker = DeviceLinker::load(beside, why_not);
  return fmt::format("{}, {}; {}", nvshmem->version, nvshmem->host_library.string(),
                     linker ? linker->file().string() : "none: " + why_not);
}

}  // namespace

std::string describe_version() {
  const std::string commit = program_commit();
  const std::string no_gpu = cuda_obstacle();
  const auto devices = no_gpu.empty() ? list_cuda_devices() : std::vector<DeviceDescription>{};
  const NvmlReader nvml(devices.empty() ? "" : devices.front().uuid);
  const auto compiler = HostToolchain::find();
  std::string text = fmt::format("tailwave {}{}\n", program_version(),
                                 commit.empty() ? "" : fmt::format(" (commit {})", commit));
  text += fmt::format("NVRTC:         {}\n", describe_nvrtc());
  text += fmt::format("NVSHMEM:       {}\n", describe_nvshmem());
  text += fmt::format("CUDA driver:   {}\n",
                      devices.empty() ? "none: " + no_gpu : devices.front().driver + ", libcuda.so.1");
  text += fmt::format("NVML:          {}\n",
                      nvml.obstacle().empty() ? "libnvidia-ml.so.1" : "none: " + nvml.obstacle());
  text += fmt::format("SQLite:        {}\n", sqlite3_libversion());
  text += fmt::format("sandbox:       {}\n", sandbox_of_this_system());
  text += fmt::format("host compiler: {}", compiler ? compiler->version() : "none: the CPU device needs one");
  return text;
}

}  // namespace tailwave
