#include "cli/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "occupancy/device_spec.h"

namespace tailwave {
namespace {

constexpr std::string_view kAllGpus = "cuda:all";

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

std::optional<int> ordinal_of(const std::string& device) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  int ordinal = -1;
  const char* const last = device.data() + device.size();
  const auto [end, error] = std::from_chars(device.data() + kPrefix.size(), last, ordinal);
  return error == std::errc{} && end == last && ordinal >= 0 ? std::optional(ordinal) : std::nullopt;
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
  const std::optional<int> ordinal = ordinal_of(device);
  if (!ordinal) refuse(device);
  return *ordinal;
}

std::vector<int> parse_ordinals(const std::string& devices) {
  std::vector<int> ordinals;
  if (devices == kAllGpus) {
    ordinals.resize(list_cuda_devices().size());
    if (ordinals.empty()) throw cannot_open(devices, "");
    std::iota(ordinals.begin(), ordinals.end(), 0);
    return ordinals;
  }
  if (devices.find(',') == std::string::npos) return {parse_ordinal(devices)};
  std::istringstream names(devices + ",");  // an empty name at the end is one, too
  for (std::string name; std::getline(names, name, ',');) {
    const std::optional<int> ordinal = ordinal_of(name);
    if (!ordinal)
      throw Error(Diagnostic{.cause = fmt::format("--device {}: '{}' is no GPU", devices, name),
                             .hint = "several devices are GPUs: cuda:0,cuda:1, or cuda:all"});
    if (std::ranges::find(ordinals, *ordinal) != ordinals.end())
      throw Error(Diagnostic{.cause = fmt::format("--device {}: {} is named twice", devices, name)});
    ordinals.push_back(*ordinal);
  }
  return ordinals;
}

void require_device_name(const std::string& devices) {
  if (devices != "auto" && devices != "cpu" && devices != kAllGpus) parse_ordinals(devices);
}

std::vector<std::string> devices_by_model(const std::string& devices) {
  if (devices != kAllGpus && devices.find(',') == std::string::npos) return {devices};
  const std::vector<DeviceDescription> here = list_cuda_devices();
  std::vector<std::string> models, groups;
  for (const int ordinal : parse_ordinals(devices)) {
    const auto place = static_cast<std::size_t>(ordinal);
    const std::string model = place < here.size() ? here[place].name : "";  // refused when it is opened
    const auto found = static_cast<std::size_t>(std::ranges::find(models, model) - models.begin());
    if (found == models.size()) {
      models.push_back(model);
      groups.emplace_back();
    }
    groups[found] += fmt::format("{}cuda:{}", groups[found].empty() ? "" : ",", ordinal);
  }
  return groups;
}

Error cannot_open(const std::string& device, const std::string& why) {
  const std::string obstacle = cuda_obstacle();
  if (obstacle.empty()) {
    const auto count = static_cast<int>(list_cuda_devices().size());
    const int ordinal = ordinal_of(device).value_or(0);
    return Error(Diagnostic{.cause = ordinal < count ? why : no_such_gpu(ordinal, count),
                            .hint = "'tailwave list devices' names what is here to run on"});
  }
  return Error(Diagnostic{
      .cause = fmt::format("{}: there is no GPU to run on: {}", device, obstacle),
      .hint =
          "--device cpu verifies on the CPU, 'tailwave plan SPEC --target h200' plans for a GPU that is not here; "
          "with NVIDIA's driver installed, nvidia-smi lists the GPUs, and 'tailwave --version' says what it found"});
}

}  // namespace tailwave
