#include "measure/turn_note.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace tailwave {

TurnNote::TurnNote() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    throw Error(fmt::format("connecting a worker: {}", std::strerror(errno)));
  heard_ = Descriptor(ends[0]);
  told_ = Descriptor(ends[1]);
}

void TurnNote::tell() const noexcept {
  const char note = 0;
  static_cast<void>(send(told_.number(), &note, sizeof note, MSG_NOSIGNAL));
}

std::optional<std::chrono::steady_clock::time_point> TurnNote::told_at() const noexcept {
  std::array<char, 64> notes{};
  while (recv(heard_.number(), notes.data(), notes.size(), 0) > 0)
    if (!told_at_) told_at_ = std::chrono::steady_clock::now();
  return told_at_;
}

void TurnNote::forget() noexcept {
  static_cast<void>(told_at());
  told_at_.reset();
}

}  // namespace tailwave
