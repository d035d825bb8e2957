#include "device/packing.h"

#include <cstring>

namespace tailwave {

Packet& operator<<(Packet& packet, const DeviceDescription& device) {
  return packet << device.kind << device.name << device.uuid << device.compute_capability << device.sms
                << device.memory_bytes << device.clock_mhz << device.memory_clock_mhz << device.driver
                << device.properties;
}

Packet& operator>>(Packet& packet, DeviceDescription& device) {
  return packet >> device.kind >> device.name >> device.uuid >> device.compute_capability >> device.sms >>
         device.memory_bytes >> device.clock_mhz >> device.memory_clock_mhz >> device.driver >>
         device.properties;
}

Packet& operator<<(Packet& packet, const Artifact& artifact) {
  packet << artifact.kind << artifact.file.string() << artifact.symbols.size();
  for (const auto& [name, symbol] : artifact.symbols) packet << name << symbol;
  return packet;
}

Packet& operator>>(Packet& packet, Artifact& artifact) {
  packet >> artifact.kind;
  artifact.file = take<std::string>(packet);
  for (std::size_t count = packet.take_count(); count > 0; --count) {
    const auto name = take<std::string>(packet);
    packet >> artifact.symbols[name];
  }
  return packet;
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
