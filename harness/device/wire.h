#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "device/executor.h"

namespace tailwave {

// Leaves new elements as they are.
template <class T>
struct UninitialisedAllocator : std::allocator<T> {
  template <class Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
};
using Bytes = std::vector<std::byte, UninitialisedAllocator<std::byte>>;

// Values one after another as bytes, for a process on the same machine. They are taken out in the order in which
// they were put in; taking more than there is throws std::out_of_range.
class Packet {
 public:
  Packet() = default;
  explicit Packet(Bytes bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void append(std::span<const std::byte> bytes);
  // So many more bytes, to be written before anything else is put in.
  std::span<std::byte> extend(std::size_t size_bytes);
  std::span<const std::byte> take(std::size_t size_bytes);

 private:
  Bytes bytes_;
  std::size_t taken_ = 0;
};

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> Packet& operator<<(Packet& packet, const T& value) {
  packet.append(std::as_bytes(std::span(&value, 1)));
  return packet;
}
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> Packet& operator>>(Packet& packet, T& value) {
  const auto from = packet.take(sizeof value);
  std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(&value, 1)).begin());
  return packet;
}

Packet& operator<<(Packet& packet, const std::string& text);
Packet& operator>>(Packet& packet, std::string& text);
Packet& operator<<(Packet& packet, const Values& values);
Packet& operator>>(Packet& packet, Values& values);
Packet& operator<<(Packet& packet, const DeviceDescription& device);
Packet& operator>>(Packet& packet, DeviceDescription& device);
// Kind, file and symbols: what Executor::load needs.
Packet& operator<<(Packet& packet, const Artifact& artifact);
Packet& operator>>(Packet& packet, Artifact& artifact);

Packet& operator<<(Packet& packet, const RunOptions& options);
Packet& operator>>(Packet& packet, RunOptions& options);
Packet& operator<<(Packet& packet, const LaunchTrace& trace);
Packet& operator>>(Packet& packet, LaunchTrace& trace);
Packet& operator<<(Packet& packet, const RunResult& result);
Packet& operator>>(Packet& packet, RunResult& result);

// A launch whose buffers are named by number.
struct WireLaunch {
  Launch launch;  // without arguments and other buffers
  std::vector<std::variant<std::uint64_t, ScalarBytes>> arguments;
  std::uint64_t exit_buffer = 0;
  std::uint64_t copied_buffer = 0;  // 0: none
};
Packet& operator<<(Packet& packet, const WireLaunch& wire);
Packet& operator>>(Packet& packet, WireLaunch& wire);

// The other side is gone.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Adds a packet to bytes that are to be sent together. `payload_bytes` more belong to it, which follow.
void append_framed(Bytes& bytes, const Packet& packet, std::size_t payload_bytes = 0);

// Throw ConnectionLost. receive() gives nothing when no packet begins within `timeout_s` (0: waits for ever). `at_once`:
// stays awake for a moment first, since waking up takes longer than most answers.
void send(int socket, const Packet& packet);
void send_bytes(int socket, std::span<const std::byte> bytes);  // of append_framed()
std::optional<Packet> receive(int socket, double timeout_s = 0, bool at_once = false);
// Whether receive() would not wait: there is a packet, or the other side is gone.
bool readable(int socket);

}  // namespace tailwave
