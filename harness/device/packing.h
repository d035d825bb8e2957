#pragma once

#include "compile/artifact.h"
#include "core/trace.h"
#include "device/executor.h"
#include "device/wire.h"

namespace tailwave {

// Records as processes exchange them.
Packet& operator<<(Packet& packet, const DeviceDescription& device);
Packet& operator>>(Packet& packet, DeviceDescription& device);
// Kind, file and symbols: what Executor::load needs.
Packet& operator<<(Packet& packet, const Artifact& artifact);
Packet& operator>>(Packet& packet, Artifact& artifact);
Packet& operator<<(Packet& packet, const LaunchTrace& trace);
Packet& operator>>(Packet& packet, LaunchTrace& trace);

}  // namespace tailwave
