#pragma once

#include "compile/artifact.h"
#include "device/wire.h"

namespace tailwave {

// What processes exchange otherwise than member by member. Kind, file, symbols and variables: what Executor::load
// needs.
Packet& operator<<(Packet& packet, const Artifact& artifact);
Packet& operator>>(Packet& packet, Artifact& artifact);

}  // namespace tailwave
