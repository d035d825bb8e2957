#include "occupancy/sm_share.h"

#include <fmt/format.h>

#include <algorithm>

namespace tailwave {
namespace {

DeviceSpec with_sms(DeviceSpec device, int sms) {
  if (sms < device.sms && device.sms_of_whole == 0) device.sms_of_whole = device.sms;
  device.sms = sms;
  return device;
}

}  // namespace

int sms_to_expect(const DeviceSpec& device, int asked) {
  struct Steps {
    int capability, step, least;
  };
  constexpr Steps kSteps[] = {{90, 8, 8}, {80, 2, 4}, {0, 2, 2}};
  const Steps& steps = *std::find_if(std::begin(kSteps), std::end(kSteps), [&](const Steps& one) {
    return device.compute_capability >= one.capability;
  });
  return std::min(device.sms, std::max(steps.least, (asked + steps.step - 1) / steps.step * steps.step));
}

std::string sms_obstacle(const DeviceSpec& device, int asked) {
  if (asked <= device.sms) return "";
  return fmt::format("{} SMs exceed the {} that the device has", asked, device.sms);
}

int sms_of(const DeviceSpec& device, const LaunchRecord& launch) {
  if (!launch.sms_asked) return device.sms;
  return launch.sms_granted ? *launch.sms_granted : sms_to_expect(device, *launch.sms_asked);
}

DeviceSpec device_of(const DeviceSpec& device, const LaunchRecord& launch) {
  return with_sms(device, sms_of(device, launch));
}

DeviceSpec part_of(const DeviceSpec& device, int sms) {
  if (sms >= device.sms) return device;
  DeviceSpec part = with_sms(device, sms);
  part.name = fmt::format("{}:{}", device.name, sms);
  part.title = title_of_part(device.title, sms);
  return part;
}

std::string title_of_part(std::string_view title, int sms) {
  return fmt::format("{} ({} SMs)", title, sms);
}

}  // namespace tailwave
