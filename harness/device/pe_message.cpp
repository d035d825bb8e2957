#include "device/pe_message.h"

#include <variant>

namespace tailwave {
namespace {

void put(Packet& packet, const LaunchArgument& argument, const NumberBuffer& number) {
  packet << argument.index();
  if (const auto* const buffer = std::get_if<Buffer*>(&argument)) {
    packet << number(*buffer);
  } else if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
    packet << scalar->size;
    packet.append(scalar->bytes);
  } else if (const auto* const texture = std::get_if<TextureView>(&argument)) {
    const TextureLook& look = texture->look;
    packet << number(texture->buffer) << texture->type << texture->size;
    packet << look.layout << look.filter << look.address << look.normalized << look.read << look.channels;
  } else if (const auto* const map = std::get_if<TensorMapView>(&argument)) {
    const TensorMapShape& shape = map->shape;
    packet << number(map->buffer) << map->type << shape.dims << shape.box << shape.strides;
    packet << shape.swizzle << shape.interleave << shape.l2_promotion << shape.nan_out_of_bounds;
  } else {
    const auto& whole = std::get<StructBytes>(argument);
    packet << whole.bytes.size();
    packet.append(whole.bytes);
    packet << whole.addresses.size();
    for (const auto& [offset, pointed] : whole.addresses) packet << offset << number(pointed);
  }
}

StructBytes take_struct(Packet& packet, const FindNumbered& find) {
  StructBytes whole;
  const auto bytes = packet.take(take<std::size_t>(packet));
  whole.bytes.assign(bytes.begin(), bytes.end());
  for (std::size_t count = packet.take_count(); count > 0; --count) {
    const auto offset = take<std::size_t>(packet);
    if (offset + sizeof(void*) > whole.bytes.size()) throw std::out_of_range("an address beyond its struct");
    whole.addresses.emplace_back(offset, find(take<std::uint64_t>(packet)));
  }
  return whole;
}

TextureView take_texture(Packet& packet, const FindNumbered& find) {
  TextureView texture{find(take<std::uint64_t>(packet))};
  TextureLook& look = texture.look;
  packet >> texture.type >> texture.size;
  packet >> look.layout >> look.filter >> look.address >> look.normalized >> look.read >> look.channels;
  return texture;
}

TensorMapView take_tensor_map(Packet& packet, const FindNumbered& find) {
  TensorMapView map{find(take<std::uint64_t>(packet))};
  TensorMapShape& shape = map.shape;
  packet >> map.type >> shape.dims >> shape.box >> shape.strides;
  packet >> shape.swizzle >> shape.interleave >> shape.l2_promotion >> shape.nan_out_of_bounds;
  return map;
}

LaunchArgument take_argument(Packet& packet, const FindNumbered& find) {
  const auto kind = take<std::size_t>(packet);
  if (kind == 0) return find(take<std::uint64_t>(packet));
  if (kind == 3) return take_texture(packet, find);
  if (kind == 4) return take_tensor_map(packet, find);
  if (kind > 1) return take_struct(packet, find);
  ScalarBytes scalar;
  packet >> scalar.size;
  const auto bytes = packet.take(scalar.bytes.size());
  std::copy(bytes.begin(), bytes.end(), scalar.bytes.begin());
  if (scalar.size > scalar.bytes.size()) throw std::out_of_range("a scalar of too many bytes");
  return scalar;
}

void put(Packet& packet, const std::optional<LoopExit>& exit, const NumberBuffer& number) {
  packet << exit.has_value();
  if (exit) packet << number(exit->buffer) << exit->type << exit->at_most << exit->next;
}

std::optional<LoopExit> take_exit(Packet& packet, const FindNumbered& find) {
  if (!take<bool>(packet)) return std::nullopt;
  LoopExit exit;
  exit.buffer = find(take<std::uint64_t>(packet));
  packet >> exit.type >> exit.at_most >> exit.next;
  return exit;
}

}  // namespace

void put(Packet& packet, const Launch& launch, const NumberBuffer& number) {
  packet << launch.kernel << launch.grid << launch.block << launch.dynamic_shared_bytes;
  packet << launch.arguments.size();
  for (const LaunchArgument& argument : launch.arguments) put(packet, argument, number);
  packet << launch.stream << launch.wait << launch.gpu << launch.cooperative << launch.sms;
  packet << launch.cluster << launch.dependent << launch.priority;
  put(packet, launch.exit, number);
  packet << number(launch.copied) << number(launch.copied_to) << number(launch.prefetched) << launch.to_host;
  packet << launch.collective << number(launch.summed) << launch.summed_type << launch.pe;
}

Launch take_launch(Packet& packet, const FindNumbered& find) {
  Launch launch;
  packet >> launch.kernel >> launch.grid >> launch.block >> launch.dynamic_shared_bytes;
  for (std::size_t count = packet.take_count(); count > 0; --count)
    launch.arguments.push_back(take_argument(packet, find));
  packet >> launch.stream >> launch.wait >> launch.gpu >> launch.cooperative >> launch.sms;
  packet >> launch.cluster >> launch.dependent >> launch.priority;
  launch.exit = take_exit(packet, find);
  for (Buffer** const buffer : {&launch.copied, &launch.copied_to, &launch.prefetched})
    *buffer = find(take<std::uint64_t>(packet));
  packet >> launch.to_host >> launch.collective;
  launch.summed = find(take<std::uint64_t>(packet));
  packet >> launch.summed_type >> launch.pe;
  return launch;
}

void put(Packet& packet, const Restoration& one, const NumberBuffer& number) {
  packet << number(one.to) << number(one.from) << one.byte << one.random.has_value();
  if (one.random) packet << *one.random;
}

Restoration take_restoration(Packet& packet, const FindNumbered& find) {
  Restoration one;
  one.to = find(take<std::uint64_t>(packet));
  one.from = find(take<std::uint64_t>(packet));
  packet >> one.byte;
  if (take<bool>(packet)) one.random = take<RandomFill>(packet);
  return one;
}

Packet& operator<<(Packet& packet, const RunOptions& options) {
  return packet << options.executions << options.sets << options.graph << options.flush_cache
                << options.timed;
}

Packet& operator>>(Packet& packet, RunOptions& options) {
  return packet >> options.executions >> options.sets >> options.graph >> options.flush_cache >>
         options.timed;
}

Packet& operator<<(Packet& packet, const RunResult& result) {
  return packet << result.time_ns << result.sm_clock_mhz << result.temperature_c << result.throttle_reasons
                << result.other_processes;
}

Packet& operator>>(Packet& packet, RunResult& result) {
  return packet >> result.time_ns >> result.sm_clock_mhz >> result.temperature_c >> result.throttle_reasons >>
         result.other_processes;
}

}  // namespace tailwave
