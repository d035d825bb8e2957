#include "device/wire.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/stopwatch.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostDescriptors = 250;  // SCM_MAX_FD is 253

struct Header {
  std::uint64_t size = 0;
  std::uint64_t descriptors = 0;
};

// What std::vector would do itself byte by byte, because of the allocator: 1 us a KiB.
void make_room(Bytes& bytes, std::size_t more) {
  if (more <= bytes.capacity() - bytes.size()) return;
  Bytes larger;
  larger.reserve(std::max(2 * bytes.size(), bytes.size() + more));
  larger.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(larger.data(), bytes.data(), bytes.size());
  bytes.swap(larger);
}

// Milliseconds for poll(), -1: for ever. Nothing when the time is over.
std::optional<int> time_left(std::chrono::steady_clock::time_point start, double limit_s) {
  if (limit_s <= 0) return -1;
  const double left_s = limit_s - seconds_since(start);
  if (left_s <= 0) return std::nullopt;
  return static_cast<int>(std::min(std::ceil(left_s * 1e3), 2e9));
}

bool readable_within(int socket, double limit_s) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const std::optional<int> milliseconds = time_left(start, limit_s);
    if (!milliseconds) return false;
    pollfd wanted{socket, POLLIN, 0};
    const int ready = poll(&wanted, 1, *milliseconds);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // recv() says what is wrong
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

// The descriptors that came along with bytes, if any did.
void take_descriptors(msghdr& message, std::vector<Descriptor>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      descriptors.emplace_back(number);
    }
  }
}

void receive_all(int socket, std::span<std::byte> bytes, std::vector<Descriptor>& descriptors,
                 std::chrono::steady_clock::time_point start, double limit_s) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> space;
  while (!bytes.empty()) {
    const double left_s = limit_s > 0 ? std::max(1e-3, limit_s - seconds_since(start)) : 0;
    if (limit_s > 0 && !readable_within(socket, left_s))
      throw BrokenMessage("the other process stopped in the middle of a message");
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    const ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) throw ConnectionLost("the other process is gone");
    take_descriptors(message, descriptors);
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
}

// The first of it with the descriptors; returns how many bytes were taken.
std::size_t send_first(int socket, std::span<iovec> parts, const std::vector<int>& descriptors) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (!descriptors.empty()) {
    const std::size_t size_bytes = descriptors.size() * sizeof(int);
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(size_bytes);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size_bytes);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size_bytes);
  }
  for (;;) {
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw ConnectionLost("the other process does not take the message");
    return static_cast<std::size_t>(sent);
  }
}

void send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw ConnectionLost("the other process does not take the message");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

}  // namespace

void Packet::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t end = bytes_.size();
  make_room(bytes_, bytes.size());
  bytes_.resize(end + bytes.size());
  std::memcpy(bytes_.data() + end, bytes.data(), bytes.size());
}

void Packet::append(const Packet& other) {
  append(other.bytes_);
  blobs_.insert(blobs_.end(), other.blobs_.begin(), other.blobs_.end());
}

std::span<const std::byte> Packet::take(std::size_t size_bytes) {
  if (size_bytes > bytes_.size() - taken_) throw std::out_of_range("a packet is shorter than expected");
  const auto taken = std::span<const std::byte>(bytes_).subspan(taken_, size_bytes);
  taken_ += size_bytes;
  return taken;
}

std::size_t Packet::take_count() {
  std::size_t count = 0;
  *this >> count;
  if (count > bytes_.size() - taken_) throw std::out_of_range("a packet is shorter than expected");
  return count;
}

void Packet::put(Blob blob) {
  blob.hand_over();
  const bool shared = blob.descriptor() >= 0;
  *this << shared << blob.bytes().size();
  if (shared)
    blobs_.push_back(std::move(blob));
  else
    append(blob.bytes());
}

Blob Packet::take_blob() {
  const bool shared = tailwave::take<bool>(*this);
  const auto size_bytes = tailwave::take<std::size_t>(*this);
  if (!shared) {
    const auto bytes = take(size_bytes);
    return Blob(std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  if (descriptors_taken_ == descriptors_.size())
    throw std::out_of_range("a packet has fewer descriptors than expected");
  return Blob::received(std::move(descriptors_[descriptors_taken_++]), size_bytes);
}

Blob blob_of(std::span<const std::byte> bytes) {
  constexpr std::size_t kFewBytes = std::size_t{1} << 16;
  if (bytes.size() < kFewBytes) return Blob(std::vector<std::byte>(bytes.begin(), bytes.end()));
  Blob blob = Blob::shared(bytes.size());
  std::copy(bytes.begin(), bytes.end(), blob.writable().begin());
  return blob;
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
  for (std::size_t count = packet.take_count(); count > 0; --count) {
    const auto name = take<std::string>(packet);
    const auto index = take<std::size_t>(packet);
    constexpr Value kKinds[] = {false, std::int64_t{}, 0.0};
    Value& value = values[name] = index < std::size(kKinds) ? kKinds[index] : Value(std::string());
    std::visit([&packet](auto& held) { packet >> held; }, value);
  }
  return packet;
}

void send(int socket, const Packet& packet) {
  std::vector<int> descriptors;
  for (const Blob& blob : packet.blobs()) descriptors.push_back(blob.descriptor());
  if (descriptors.size() > kMostDescriptors) throw std::length_error("a packet has too many descriptors");
  Header header{packet.bytes().size(), descriptors.size()};
  std::array<iovec, 2> parts{iovec{&header, sizeof header},
                             iovec{const_cast<std::byte*>(packet.bytes().data()), packet.bytes().size()}};
  const std::size_t sent = send_first(socket, parts, descriptors);
  if (sent < sizeof header) send_all(socket, std::as_bytes(std::span(&header, 1)).subspan(sent));
  send_all(socket, packet.bytes().subspan(sent < sizeof header ? 0 : sent - sizeof header));
}

bool readable(int socket) {
  pollfd wanted{socket, POLLIN, 0};
  return poll(&wanted, 1, 0) > 0;
}

std::optional<Packet> receive(int socket, const Patience& patience) {
  if (patience.awake) stay_awake_for(socket);
  if (!readable_within(socket, patience.first_s)) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  Header header;
  std::vector<Descriptor> descriptors;
  receive_all(socket, std::as_writable_bytes(std::span(&header, 1)), descriptors, start, patience.rest_s);
  if (header.size > patience.most_bytes || header.descriptors != descriptors.size())
    throw BrokenMessage("the other process sent a message that is none");
  Bytes bytes(header.size);
  receive_all(socket, bytes, descriptors, start, patience.rest_s);
  return Packet(std::move(bytes), std::move(descriptors));
}

}  // namespace tailwave
