#include "device/pe_message.h"

#include <variant>

namespace tailwave {
namespace {

void put(Packet& packet, const LaunchArgument& argument, const NumberBuffer& number) {
  const auto* const scalar = std::get_if<ScalarBytes>(&argument);
  packet << (scalar == nullptr);
  if (scalar == nullptr) {
    packet << number(std::get<Buffer*>(argument));
    return;
  }
  packet << scalar->size;
  packet.append(scalar->bytes);
}

LaunchArgument take_argument(Packet& packet, const FindNumbered& find) {
  if (take<bool>(packet)) return find(take<std::uint64_t>(packet));
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
  launch.exit = take_exit(packet, find);
  for (Buffer** const buffer : {&launch.copied, &launch.copied_to, &launch.prefetched})
    *buffer = find(take<std::uint64_t>(packet));
  packet >> launch.to_host >> launch.collective;
  launch.summed = find(take<std::uint64_t>(packet));
  packet >> launch.summed_type >> launch.pe;
  return launch;
}

void put(Packet& packet, const Restoration& one, const NumberBuffer& number) {
  packet << number(one.to) << number(one.from) << one.byte << one.uniform.has_value();
  if (one.uniform)
    packet << one.uniform->type << one.uniform->low << one.uniform->high << one.uniform->seed
           << one.uniform->draw;
}

Restoration take_restoration(Packet& packet, const FindNumbered& find) {
  Restoration one;
  one.to = find(take<std::uint64_t>(packet));
  one.from = find(take<std::uint64_t>(packet));
  packet >> one.byte;
  if (!take<bool>(packet)) return one;
  UniformFill& uniform = one.uniform.emplace();
  packet >> uniform.type >> uniform.low >> uniform.high >> uniform.seed >> uniform.draw;
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
