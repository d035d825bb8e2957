#include "occupancy/device_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "occupancy/embedded.h"
#include "occupancy/sm_share.h"

namespace tailwave {
namespace {

using nlohmann::json;

struct IntField {
  const char* name;
  int DeviceSpec::*member;
};
struct RealField {
  const char* name;
  double DeviceSpec::*member;
};

constexpr std::array kNeeded{
    IntField{"compute_capability", &DeviceSpec::compute_capability},
    IntField{"sms", &DeviceSpec::sms},
    IntField{"max_threads_per_block", &DeviceSpec::max_threads_per_block},
    IntField{"max_threads_per_sm", &DeviceSpec::max_threads_per_sm},
    IntField{"registers_per_block", &DeviceSpec::registers_per_block},
    IntField{"registers_per_sm", &DeviceSpec::registers_per_sm},
    IntField{"warp_size", &DeviceSpec::warp_size},
    IntField{"shared_bytes_per_block", &DeviceSpec::shared_bytes_per_block},
    IntField{"shared_bytes_per_block_opt_in", &DeviceSpec::shared_bytes_per_block_opt_in},
    IntField{"shared_bytes_per_sm", &DeviceSpec::shared_bytes_per_sm},
    IntField{"reserved_shared_bytes_per_block", &DeviceSpec::reserved_shared_bytes_per_block},
};
constexpr IntField kBlocks{"max_blocks_per_sm", &DeviceSpec::max_blocks_per_sm};
constexpr IntField kWhole{"sms_of_whole", &DeviceSpec::sms_of_whole};
constexpr std::array kReals{
    RealField{"clock_mhz", &DeviceSpec::clock_mhz},
    RealField{"bandwidth_gb_per_s", &DeviceSpec::bandwidth_gb_per_s},
    RealField{"l2_mib", &DeviceSpec::l2_mib},
};

constexpr std::array kOfTheCapability{
    IntField{"fp32_lanes_per_sm", &DeviceSpec::fp32_lanes_per_sm},
    IntField{"fp64_lanes_per_sm", &DeviceSpec::fp64_lanes_per_sm},
    IntField{"mufu_lanes_per_sm", &DeviceSpec::mufu_lanes_per_sm},
    IntField{"most_sms_per_gpc", &DeviceSpec::most_sms_per_gpc},
};

struct Catalogue {
  std::vector<DeviceSpec> devices;
  std::map<int, DeviceSpec> capabilities;                   // with what they alone tell
  std::map<std::string, std::size_t, std::less<>> by_name;  // normalised names, titles and aliases
};

// "NVIDIA GeForce RTX 4090" -> "rtx4090".
std::string normalised(std::string_view text) {
  std::string plain;
  for (const char character : text)
    if (std::isalnum(static_cast<unsigned char>(character)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  for (const std::string_view maker : {"nvidia", "geforce", "tesla"})
    if (plain.starts_with(maker)) plain.erase(0, maker.size());
  return plain;
}

void read_fields(const json& object, DeviceSpec& device) {
  const auto read = [&](const char* name, auto& member) {
    if (const auto found = object.find(name); found != object.end()) found->get_to(member);
  };
  for (const IntField& field : kNeeded) read(field.name, device.*field.member);
  read(kBlocks.name, device.*kBlocks.member);
  for (const IntField& field : kOfTheCapability) read(field.name, device.*field.member);
  for (const RealField& field : kReals) read(field.name, device.*field.member);
}

Catalogue load_catalogue() {
  const json file = json::parse(embedded::occupancy::file("devices.json"));
  Catalogue catalogue;
  for (const auto& [capability, limits] : file.at("capabilities").items())
    read_fields(limits, catalogue.capabilities[std::stoi(capability)]);
  for (const json& entry : file.at("devices")) {
    DeviceSpec device;
    entry.at("name").get_to(device.name);
    entry.at("title").get_to(device.title);
    read_fields(file.at("capabilities").at(std::to_string(entry.at("compute_capability").get<int>())),
                device);
    read_fields(entry, device);
    const std::size_t index = catalogue.devices.size();
    catalogue.by_name.emplace(normalised(device.name), index);
    catalogue.by_name.emplace(normalised(device.title), index);
    for (const json& alias : entry.at("aliases"))
      catalogue.by_name.emplace(normalised(alias.get<std::string>()), index);
    catalogue.devices.push_back(std::move(device));
  }
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue all = load_catalogue();
  return all;
}

DeviceSpec find_whole_device(std::string_view name) {
  const Catalogue& all = catalogue();
  if (const auto found = all.by_name.find(normalised(name)); found != all.by_name.end())
    return all.devices[found->second];
  std::vector<std::string> names;
  std::vector<std::string> capabilities;
  for (const DeviceSpec& device : all.devices) {
    const std::string capability = fmt::format("sm_{}", device.compute_capability);
    if (name == capability) return device;
    names.push_back(device.name);
    if (capabilities.empty() || capabilities.back() != capability) capabilities.push_back(capability);
  }
  Diagnostic diagnostic;
  diagnostic.cause = fmt::format("unknown device '{}'", name);
  const std::string suggestion = nearest(std::string(name), names);
  if (!suggestion.empty()) diagnostic.hint = fmt::format("did you mean '{}'? ", suggestion);
  diagnostic.hint += fmt::format("known devices: {}, and for the first of a capability {}",
                                 fmt::join(names, ", "), fmt::join(capabilities, ", "));
  throw Error(diagnostic);
}

// "h200:64" and "NVIDIA H200 (64 SMs)" name a part of a device.
struct PartName {
  std::string_view device;
  int sms = 0;  // 0: it is no part
};

PartName part_named(std::string_view name) {
  constexpr std::string_view kEnd = " SMs)";
  const bool titled = name.ends_with(kEnd);
  const std::string_view mark = titled ? " (" : ":";
  const std::size_t place = name.rfind(mark);
  if (place == std::string_view::npos) return {name};
  std::string_view number = name.substr(place + mark.size());
  if (titled) number.remove_suffix(kEnd.size());
  PartName part{name.substr(0, place)};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), part.sms);
  if (error != std::errc() || end != number.data() + number.size() || part.sms < 1) return {name};
  return part;
}

DeviceSpec find_part(const PartName& name) {
  const DeviceSpec whole = find_whole_device(name.device);
  if (const std::string obstacle = sms_obstacle(whole, name.sms); !obstacle.empty())
    throw Error(Diagnostic{.cause = fmt::format("device '{}': {}", whole.name, obstacle)});
  return part_of(whole, sms_to_expect(whole, name.sms));
}

}  // namespace

const std::vector<DeviceSpec>& known_devices() {
  return catalogue().devices;
}

DeviceSpec find_device(std::string_view name) {
  const PartName part = part_named(name);
  if (part.sms > 0) return find_part(part);
  if (const std::size_t mark = name.rfind(':'); mark != std::string_view::npos) {
    const DeviceSpec whole = find_whole_device(name.substr(0, mark));
    throw Error(Diagnostic{
        .cause = fmt::format("device '{}': '{}' is no number of SMs", name, name.substr(mark + 1)),
        .hint = fmt::format("{0}:{1} has {1} of its SMs", whole.name, sms_to_expect(whole, whole.sms / 2))});
  }
  return find_whole_device(name);
}

std::vector<DeviceSpec> find_devices(std::string_view names) {
  if (names == "all") return known_devices();
  std::vector<DeviceSpec> devices;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    DeviceSpec device = find_device(names.substr(begin, end - begin));
    const bool again = std::any_of(devices.begin(), devices.end(),
                                   [&](const DeviceSpec& other) { return other.name == device.name; });
    if (!again) devices.push_back(std::move(device));
    begin = end + 1;
  }
  return devices;
}

DeviceSpec device_spec_from(const Values& properties, std::string name, std::string title) {
  DeviceSpec device;
  device.name = std::move(name);
  device.title = std::move(title);
  const auto whole = [&](const IntField& field) {
    const auto found = properties.find(field.name);
    if (found == properties.end()) return false;
    const auto* number = std::get_if<std::int64_t>(&found->second);
    if (number != nullptr) device.*field.member = static_cast<int>(*number);
    return number != nullptr;
  };
  for (const IntField& field : kNeeded)
    if (!whole(field))
      throw Error(fmt::format("device {}: the property '{}' is missing", device.name, field.name));
  whole(kBlocks);
  whole(kWhole);
  for (const RealField& field : kReals) {
    const auto found = properties.find(field.name);
    if (found == properties.end()) continue;
    if (const auto* real = std::get_if<double>(&found->second)) device.*field.member = *real;
    if (const auto* number = std::get_if<std::int64_t>(&found->second))
      device.*field.member = static_cast<double>(*number);
  }
  // No driver tells them.
  const auto capability = catalogue().capabilities.find(device.compute_capability);
  for (const IntField& field : kOfTheCapability)
    if (capability != catalogue().capabilities.end()) device.*field.member = capability->second.*field.member;
  return device;
}

}  // namespace tailwave
