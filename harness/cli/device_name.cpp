#include "cli/device_name.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "occupancy/device_spec.h"

namespace tailwave {
namespace {

// Of what --target takes.
std::optional<DeviceSpec> planned_device(const std::string& name) {
  try {
    return find_device(name);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// "cpu, cuda:0 (NVIDIA H200)".
std::string devices_here(const std::vector<DeviceDescription>& gpus) {
  std::string names = "cpu";
  for (std::size_t ordinal = 0; ordinal < gpus.size(); ++ordinal)
    names += fmt::format(", cuda:{} ({})", ordinal, gpus[ordinal].name);
  return names;
}

[[noreturn]] void refuse(const std::string& device) {
  const std::optional<DeviceSpec> planned = planned_device(device);
  if (!planned)
    throw Error(
        Diagnostic{.cause = "unknown device '" + device + "'", .hint = "use auto, cpu, cuda:0, cuda:1, ..."});
  const std::vector<DeviceDescription> gpus = list_cuda_devices();
  throw Error(Diagnostic{
      .cause = fmt::format("'{}' is a GPU to plan for; --device takes what is here: {}", device,
                           devices_here(gpus)),
      .hint =
          fmt::format("'tailwave plan SPEC --target {}' compiles and explains without that GPU", device)});
}

}  // namespace

int parse_ordinal(const std::string& device) {
  constexpr std::string_view kPrefix = "cuda:";
  int ordinal = -1;
  const char* const last = device.data() + device.size();
  if (device.starts_with(kPrefix)) {
    const auto [end, error] = std::from_chars(device.data() + kPrefix.size(), last, ordinal);
    if (error != std::errc{} || end != last) ordinal = -1;
  }
  if (ordinal < 0) refuse(device);
  return ordinal;
}

Error cannot_open(const std::string& device, const std::string& why) {
  const std::string obstacle = cuda_obstacle();
  if (obstacle.empty())
    return Error(Diagnostic{.cause = why, .hint = "'tailwave list devices' names what is here to run on"});
  return Error(Diagnostic{
      .cause = fmt::format("{}: there is no GPU to run on: {}", device, obstacle),
      .hint =
          "--device cpu verifies on the CPU, 'tailwave plan SPEC --target h200' plans for a GPU that is not here; "
          "with NVIDIA's driver installed, nvidia-smi lists the GPUs, and 'tailwave --version' says what it found"});
}

}  // namespace tailwave
