#include "device/packing.h"

#include <cstring>

namespace tailwave {

Packet& operator<<(Packet& packet, const Artifact& artifact) {
  return packet << artifact.kind << artifact.file.string() << artifact.symbols;
}

Packet& operator>>(Packet& packet, Artifact& artifact) {
  packet >> artifact.kind;
  artifact.file = take<std::string>(packet);
  return packet >> artifact.symbols;
}

Packet& operator<<(Packet& packet, const LaunchTrace& trace) {
  packet << trace.registers << trace.local_bytes;
  Blob blocks = Blob::shared(trace.blocks.size() * sizeof(BlockTime));
  if (!trace.blocks.empty())
    std::memcpy(blocks.writable().data(), trace.blocks.data(), blocks.bytes().size());
  packet.put(std::move(blocks));
  return packet;
}

Packet& operator>>(Packet& packet, LaunchTrace& trace) {
  packet >> trace.registers >> trace.local_bytes;
  const Blob blocks = packet.take_blob();
  trace.blocks.resize(blocks.bytes().size() / sizeof(BlockTime));
  if (!trace.blocks.empty())
    std::memcpy(trace.blocks.data(), blocks.bytes().data(), trace.blocks.size() * sizeof(BlockTime));
  return packet;
}

}  // namespace tailwave
