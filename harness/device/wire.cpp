#include "device/wire.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

namespace tailwave {
namespace {

// What std::vector would do itself byte by byte, because of the allocator: 1 us a KiB.
void make_room(Bytes& bytes, std::size_t more) {
  if (more <= bytes.capacity() - bytes.size()) return;
  Bytes larger;
  larger.reserve(std::max(2 * bytes.size(), bytes.size() + more));
  larger.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(larger.data(), bytes.data(), bytes.size());
  bytes.swap(larger);
}

void append_bytes(Bytes& to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t end = to.size();
  make_room(to, bytes.size());
  to.resize(end + bytes.size());
  std::memcpy(to.data() + end, bytes.data(), bytes.size());
}

void receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) throw ConnectionLost("the other process is gone");
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
}

void stay_awake_for(int socket) {
  constexpr auto kLongest = std::chrono::milliseconds(1);
  const auto start = std::chrono::steady_clock::now();
  std::byte first{};
  while (::recv(socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN) {
    if (std::chrono::steady_clock::now() - start > kLongest) return;
    sched_yield();
  }
}

bool readable_within(int socket, double timeout_s) {
  if (timeout_s <= 0) return true;
  pollfd wanted{socket, POLLIN, 0};
  const double milliseconds = std::min(std::ceil(timeout_s * 1e3), 2e9);
  int ready = -1;
  do {
    ready = poll(&wanted, 1, static_cast<int>(milliseconds));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

template <class Name, class Content>
std::pair<Name, Content> take_pair(Packet& packet) {
  std::pair<Name, Content> pair;
  packet >> pair.first >> pair.second;
  return pair;
}

void put(Packet& packet, const std::optional<double>& number) {
  packet << number.has_value() << number.value_or(0);
}

std::optional<double> take_optional(Packet& packet) {
  const auto [known, number] = take_pair<bool, double>(packet);
  return known ? std::optional(number) : std::nullopt;
}

}  // namespace

void Packet::append(std::span<const std::byte> bytes) {
  append_bytes(bytes_, bytes);
}

std::span<std::byte> Packet::extend(std::size_t size_bytes) {
  constexpr std::size_t kSmall = 1 << 10;  // what often follows
  const std::size_t end = bytes_.size();
  make_room(bytes_, size_bytes + kSmall);
  bytes_.resize(end + size_bytes);
  return std::span(bytes_).subspan(end);
}

std::span<const std::byte> Packet::take(std::size_t size_bytes) {
  if (size_bytes > bytes_.size() - taken_) throw std::out_of_range("a packet is shorter than expected");
  const auto taken = std::span<const std::byte>(bytes_).subspan(taken_, size_bytes);
  taken_ += size_bytes;
  return taken;
}

Packet& operator<<(Packet& packet, const std::string& text) {
  packet << text.size();
  packet.append(std::as_bytes(std::span(text)));
  return packet;
}

Packet& operator>>(Packet& packet, std::string& text) {
  std::size_t size = 0;
  packet >> size;
  const auto bytes = packet.take(size);
  text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return packet;
}

Packet& operator<<(Packet& packet, const Values& values) {
  packet << values.size();
  for (const auto& [name, value] : values) {
    packet << name << value.index();
    std::visit([&packet](const auto& held) { packet << held; }, value);
  }
  return packet;
}

Packet& operator>>(Packet& packet, Values& values) {
  std::size_t count = 0;
  packet >> count;
  for (; count > 0; --count) {
    const auto [name, index] = take_pair<std::string, std::size_t>(packet);
    constexpr Value kKinds[] = {false, std::int64_t{}, 0.0};
    Value& value = values[name] = index < std::size(kKinds) ? kKinds[index] : Value(std::string());
    std::visit([&packet](auto& held) { packet >> held; }, value);
  }
  return packet;
}

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
  std::string file;
  std::size_t count = 0;
  packet >> artifact.kind >> file >> count;
  artifact.file = file;
  for (; count > 0; --count) artifact.symbols.insert(take_pair<std::string, std::string>(packet));
  return packet;
}

Packet& operator<<(Packet& packet, const RunOptions& options) {
  return packet << options.executions << options.sets << options.graph << options.flush_cache
                << options.timed;
}

Packet& operator>>(Packet& packet, RunOptions& options) {
  return packet >> options.executions >> options.sets >> options.graph >> options.flush_cache >>
         options.timed;
}

Packet& operator<<(Packet& packet, const LaunchTrace& trace) {
  packet << trace.registers << trace.local_bytes << trace.blocks.size();
  packet.append(std::as_bytes(std::span(trace.blocks)));
  return packet;
}
Packet& operator>>(Packet& packet, LaunchTrace& trace) {
  std::size_t count = 0;
  packet >> trace.registers >> trace.local_bytes >> count;
  const auto bytes = packet.take(count * sizeof(BlockTime));
  trace.blocks.resize(count);
  std::memcpy(trace.blocks.data(), bytes.data(), bytes.size());
  return packet;
}

Packet& operator<<(Packet& packet, const RunResult& result) {
  packet << result.time_ns;
  put(packet, result.sm_clock_mhz);
  put(packet, result.temperature_c);
  return packet << result.throttle_reasons;
}

Packet& operator>>(Packet& packet, RunResult& result) {
  packet >> result.time_ns;
  result.sm_clock_mhz = take_optional(packet);
  result.temperature_c = take_optional(packet);
  return packet >> result.throttle_reasons;
}

Packet& operator<<(Packet& packet, const WireLaunch& wire) {
  const Launch& launch = wire.launch;
  packet << launch.kernel << launch.grid.x << launch.grid.y << launch.grid.z << launch.block.x
         << launch.block.y << launch.block.z << launch.dynamic_shared_bytes << launch.stream << launch.gpu
         << launch.cooperative << launch.wait.size();
  for (const int stream : launch.wait) packet << stream;
  packet << wire.copied_buffer << launch.exit.has_value();
  if (launch.exit)
    packet << wire.exit_buffer << launch.exit->type << launch.exit->at_most << launch.exit->next;
  packet << wire.arguments.size();
  for (const auto& argument : wire.arguments) {
    packet << argument.index();
    if (const auto* const buffer = std::get_if<std::uint64_t>(&argument)) {
      packet << *buffer;
    } else {
      const auto& scalar = std::get<ScalarBytes>(argument);
      packet << scalar.size;
      packet.append(scalar.bytes);
    }
  }
  return packet;
}

Packet& operator>>(Packet& packet, WireLaunch& wire) {
  Launch& launch = wire.launch;
  std::size_t count = 0;
  packet >> launch.kernel >> launch.grid.x >> launch.grid.y >> launch.grid.z >> launch.block.x >>
      launch.block.y >> launch.block.z >> launch.dynamic_shared_bytes >> launch.stream >> launch.gpu >>
      launch.cooperative >> count;
  launch.wait.resize(count);
  for (int& stream : launch.wait) packet >> stream;
  bool exits = false;
  packet >> wire.copied_buffer >> exits;
  if (exits) {
    LoopExit& exit = launch.exit.emplace();
    packet >> wire.exit_buffer >> exit.type >> exit.at_most >> exit.next;
  }
  packet >> count;
  for (; count > 0; --count) {
    const auto [index, first] = take_pair<std::size_t, std::uint64_t>(packet);
    if (index == 0) {
      wire.arguments.emplace_back(first);
      continue;
    }
    ScalarBytes scalar;
    scalar.size = first;
    const auto bytes = packet.take(scalar.bytes.size());
    std::copy(bytes.begin(), bytes.end(), scalar.bytes.begin());
    wire.arguments.emplace_back(scalar);
  }
  return packet;
}

void append_framed(Bytes& bytes, const Packet& packet, std::size_t payload_bytes) {
  const std::uint64_t size = packet.bytes().size() + payload_bytes;
  append_bytes(bytes, std::as_bytes(std::span(&size, 1)));
  append_bytes(bytes, packet.bytes());
}

void send_bytes(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw ConnectionLost("the other process does not take the message");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void send(int socket, const Packet& packet) {
  constexpr std::size_t kSmall = 1 << 16;  // one system call rather than a copy less
  Bytes bytes;
  if (packet.bytes().size() <= kSmall) {
    append_framed(bytes, packet);
    return send_bytes(socket, bytes);
  }
  const std::uint64_t size = packet.bytes().size();
  send_bytes(socket, std::as_bytes(std::span(&size, 1)));
  send_bytes(socket, packet.bytes());
}

bool readable(int socket) {
  pollfd wanted{socket, POLLIN, 0};
  return poll(&wanted, 1, 0) > 0;
}

std::optional<Packet> receive(int socket, double timeout_s, bool at_once) {
  if (at_once) stay_awake_for(socket);
  if (!readable_within(socket, timeout_s)) return std::nullopt;
  std::uint64_t size = 0;
  receive_all(socket, std::as_writable_bytes(std::span(&size, 1)));
  Bytes bytes(size);
  receive_all(socket, bytes);
  return Packet(std::move(bytes));
}

}  // namespace tailwave
