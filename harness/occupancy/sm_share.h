#pragma once

#include <string>
#include <string_view>

#include "core/trial.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// Launches, and whole runs, on some of a GPU's SMs: green contexts. They come in steps.

// How many SMs a device gives to what asks for so many, as far as that is documented: a multiple of 8, from compute
// capability 9.0 on; before, a multiple of 2, and at least 4 with 8.x; all where that is more than there are (CUDA
// Driver API 13.0, Green Contexts). What a device did give is LaunchRecord::sms_granted.
int sms_to_expect(const DeviceSpec& device, int asked);

// "140 SMs exceed the 132 that the device has", or "".
std::string sms_obstacle(const DeviceSpec& device, int asked);

// The SMs that a launch may use: those granted, else those to expect; all of the device's where it asks for none.
int sms_of(const DeviceSpec& device, const LaunchRecord& launch);
// The device with these alone.
DeviceSpec device_of(const DeviceSpec& device, const LaunchRecord& launch);

// So many of a device's SMs as a device of its own, "h200:64" with the title "NVIDIA H200 (64 SMs)"; the device itself
// where these are all.
DeviceSpec part_of(const DeviceSpec& device, int sms);
std::string title_of_part(std::string_view title, int sms);

}  // namespace tailwave
