#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/enum_names.h"
#include "core/members.h"
#include "core/value.h"
#include "device/blob.h"

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

// Values one after another as bytes, for a process on the same machine, and descriptors beside them. They are taken out
// in the order in which they were put in; taking more than there is, a flag that is neither true nor false, or an enum's
// value that has no name throws std::out_of_range.
class Packet {
 public:
  Packet() = default;
  Packet(Bytes bytes, std::vector<Descriptor> descriptors)
      : bytes_(std::move(bytes)), descriptors_(std::move(descriptors)) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void append(std::span<const std::byte> bytes);
  void append(const Packet& other);  // with what is to be sent beside its bytes
  std::span<const std::byte> take(std::size_t size_bytes);
  // Throws std::out_of_range for a number of elements that the rest of the packet cannot have.
  std::size_t take_count();

  // Of many bytes the descriptor alone, which send() borrows; they are handed over (see Blob).
  void put(Blob blob);
  Blob take_blob();
  [[nodiscard]] const std::vector<Blob>& blobs() const { return blobs_; }

 private:
  Bytes bytes_;
  std::size_t taken_ = 0;
  std::vector<Blob> blobs_;              // to be sent
  std::vector<Descriptor> descriptors_;  // received
  std::size_t descriptors_taken_ = 0;
};

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> Packet& operator<<(Packet& packet, const T& value) {
  packet.append(std::as_bytes(std::span(&value, 1)));
  return packet;
}
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> Packet& operator>>(Packet& packet, T& value) {
  const auto from = packet.take(sizeof value);
  if constexpr (std::is_same_v<T, bool>) {
    if (from.front() > std::byte{1})
      throw std::out_of_range("a packet has a flag that is neither true nor false");
  }
  std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(&value, 1)).begin());
  if constexpr (NamedEnum<T>) {
    if (static_cast<std::size_t>(value) >= EnumNames<T>::names.size())
      throw std::out_of_range("a packet has no " + std::string(EnumNames<T>::noun) + " that there is");
  }
  return packet;
}

Packet& operator<<(Packet& packet, const std::string& text);
Packet& operator>>(Packet& packet, std::string& text);
inline Packet& operator<<(Packet& packet, const Blob& blob) {
  packet.put(blob);
  return packet;
}
inline Packet& operator>>(Packet& packet, Blob& blob) {
  blob = packet.take_blob();
  return packet;
}
Packet& operator<<(Packet& packet, const Values& values);
Packet& operator>>(Packet& packet, Values& values);

template <class T>
Packet& operator<<(Packet& packet, const std::optional<T>& value) {
  packet << value.has_value();
  return value ? packet << *value : packet;
}
template <class T>
Packet& operator>>(Packet& packet, std::optional<T>& value) {
  bool known = false;
  packet >> known;
  if (!known) {
    value.reset();
    return packet;
  }
  return packet >> value.emplace();
}
template <class T>
Packet& operator<<(Packet& packet, const std::vector<T>& all) {
  packet << all.size();
  for (const T& one : all) packet << one;
  return packet;
}
template <class T>
Packet& operator>>(Packet& packet, std::vector<T>& all) {
  all.resize(packet.take_count());
  for (T& one : all) packet >> one;
  return packet;
}

// Records of plain numbers travel as they lie in memory, many of them beside the message.
Blob blob_of(std::span<const std::byte> bytes);
template <Record R>
requires std::is_trivially_copyable_v<R> Packet& operator<<(Packet& packet, const std::vector<R>& all) {
  packet.put(blob_of(std::as_bytes(std::span(all))));
  return packet;
}
template <Record R>
requires std::is_trivially_copyable_v<R> Packet& operator>>(Packet& packet, std::vector<R>& all) {
  const Blob blob = packet.take_blob();
  all.resize(blob.bytes().size() / sizeof(R));
  const auto whole = blob.bytes().first(all.size() * sizeof(R));
  std::copy(whole.begin(), whole.end(), std::as_writable_bytes(std::span(all)).begin());
  return packet;
}

template <class Key, class T>
Packet& operator<<(Packet& packet, const std::map<Key, T>& all) {
  packet << all.size();
  for (const auto& [key, one] : all) packet << key << one;
  return packet;
}
template <class Key, class T>
Packet& operator>>(Packet& packet, std::map<Key, T>& all) {
  all.clear();
  for (std::size_t count = packet.take_count(); count > 0; --count) {
    Key key;
    packet >> key;
    packet >> all[std::move(key)];
  }
  return packet;
}
template <Record R>
Packet& operator<<(Packet& packet, const R& record) {
  for_each_member<R, kNotWire>([&](const auto& one) { packet << record.*one.place; });
  return packet;
}
template <Record R>
Packet& operator>>(Packet& packet, R& record) {
  for_each_member<R, kNotWire>([&](const auto& one) { packet >> record.*one.place; });
  return packet;
}

// A value that was put in first.
template <class T>
T take(Packet& packet) {
  T value{};
  packet >> value;
  return value;
}

// The other side is gone.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Or it is there and says what nobody says.
class BrokenMessage : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// What receiving a packet may take. Without limits it waits for ever.
struct Patience {
  double first_s = 0;  // for its first byte; 0: for ever
  double rest_s = 0;   // from there to its last; 0: for ever
  std::size_t most_bytes = std::size_t{1} << 30;
  bool awake = false;  // stays awake for a moment first, since waking up takes longer than most answers
};

// Throw ConnectionLost; receive() throws BrokenMessage for a packet that is too large or stops in the middle, and gives
// nothing when no packet begins in time.
void send(int socket, const Packet& packet);
std::optional<Packet> receive(int socket, const Patience& patience = {});
// Whether receive() would not wait: there is a packet, or the other side is gone.
bool readable(int socket);

}  // namespace tailwave
