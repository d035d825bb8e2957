#include "device/packing.h"

namespace tailwave {

Packet& operator<<(Packet& packet, const Artifact& artifact) {
  return packet << artifact.kind << artifact.file.string() << artifact.symbols << artifact.variables;
}

Packet& operator>>(Packet& packet, Artifact& artifact) {
  packet >> artifact.kind;
  artifact.file = take<std::string>(packet);
  return packet >> artifact.symbols >> artifact.variables;
}

}  // namespace tailwave
