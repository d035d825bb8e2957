#include "judge/line_clients.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostWaitingLines = 64;  // of a client
constexpr std::size_t kMostWaitingBytes = std::size_t{16}
                                          << 20;  // of its lines, or of answers it does not read
constexpr std::size_t kPieceBytes = 1 << 16;
constexpr int kMostPieces = 16;  // that are read from one client before it is the next one's turn

[[noreturn]] void refuse_socket(const fs::path& path, const std::string& cause, const std::string& hint = "",
                                Error::Status status = Error::kBadUsage) {
  throw Error(Diagnostic{.file = path.string(), .cause = cause, .hint = hint}, status);
}

[[noreturn]] void refuse_by_system(const fs::path& path, const char* doing) {
  refuse_socket(path, fmt::format("{}: {}", doing, std::strerror(errno)), "", Error::kRunFailed);
}

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  // The system would make one without a file, which everybody may use.
  if (text.empty()) refuse_socket("--socket", "the path of a socket is empty");
  if (text.size() >= sizeof address.sun_path)
    refuse_socket(path,
                  fmt::format("the path of a socket has at most {} bytes", sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

// Makes way for a new socket.
void remove_abandoned(const fs::path& path, const sockaddr_un& address) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return;
  if (status.type() == fs::file_type::none)
    refuse_socket(path, "cannot be looked at: " + error.message(), "", Error::kRunFailed);
  if (status.type() != fs::file_type::socket) refuse_socket(path, "is there already and no socket");
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool is_connected =
      connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  // EAGAIN: so many wait there that no other one may.
  if (is_connected || errno == EAGAIN)
    refuse_socket(path, "another service answers there", "name another socket");
  if (errno != ECONNREFUSED) refuse_by_system(path, "cannot be tried");
  fs::remove(path, error);
}

// What poll() says of a descriptor now.
short events_of(int descriptor, short wanted) {
  pollfd state{descriptor, wanted, 0};
  return poll(&state, 1, 0) > 0 ? state.revents : short{0};
}

}  // namespace

ListeningSocket::ListeningSocket(const fs::path& path) : path_(path) {
  const sockaddr_un address = address_of(path);
  remove_abandoned(path, address);
  socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr mode_t kOwnerOnly = 0177;
  const mode_t before = umask(kOwnerOnly);
  const int bound = bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(before);
  errno = error;
  if (bound != 0) refuse_by_system(path, "cannot be made");
  if (listen(socket_.number(), SOMAXCONN) != 0) refuse_by_system(path, "cannot be listened at");
  struct stat made {};
  if (lstat(path.c_str(), &made) != 0) refuse_by_system(path, "cannot be looked at");
  device_ = made.st_dev;
  inode_ = made.st_ino;
}

ListeningSocket::~ListeningSocket() {
  struct stat now {};
  if (lstat(path_.c_str(), &now) != 0 || now.st_dev != device_ || now.st_ino != inode_) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

LineClients::LineClients(int input, int output) {
  Client& client = clients_.emplace_back();
  client.number = ++last_number_;
  client.input = input;
  client.output = output;
}

LineClients::LineClients(int listening_socket) : listening_(listening_socket) {}

// Other processes may have copies of the sockets.
LineClients::~LineClients() {
  for (Client& client : clients_) client.socket.shut_down();
}

bool LineClients::wants_input(const Client& client) {
  return !client.input_ended && client.lines.size() < kMostWaitingLines &&
         client.line_bytes < kMostWaitingBytes && client.to_send.size() < kMostWaitingBytes;
}

std::vector<pollfd> LineClients::descriptors() const {
  std::vector<pollfd> all;
  if (listening_ >= 0 && !has_ended_ && clients_.size() < kMostClients)
    all.push_back({listening_, POLLIN, 0});
  for (const Client& client : clients_) {
    if (wants_input(client)) all.push_back({client.input, POLLIN, 0});
    if (!client.to_send.empty()) all.push_back({client.output, POLLOUT, 0});
  }
  return all;
}

void LineClients::transfer() {
  accept_clients();
  for (Client& client : clients_) {
    receive(client);
    const bool has_closed = client.socket.number() >= 0 && (events_of(client.input, 0) & POLLHUP) != 0;
    client.is_gone = client.is_gone || has_closed;
    send(client);
  }
  if (listening_ < 0) return;
  std::erase_if(clients_, [](Client& client) {
    const bool is_done =
        client.input_ended && client.unanswered == 0 && client.lines.empty() && client.to_send.empty();
    if (client.is_gone || is_done) client.socket.shut_down();
    return client.is_gone || is_done;
  });
}

void LineClients::accept_clients() {
  while (listening_ >= 0 && !has_ended_ && clients_.size() < kMostClients) {
    Descriptor socket(accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() < 0) return;
    Client& client = clients_.emplace_back();
    client.number = ++last_number_;
    client.input = client.output = socket.number();
    client.socket = std::move(socket);
  }
}

void LineClients::receive(Client& client) {
  std::array<char, kPieceBytes> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (int turn = 0; turn < kMostPieces && wants_input(client) && events_of(client.input, POLLIN) != 0;
       ++turn) {
    const ssize_t size = read(client.input, piece.data(), piece.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size <= 0) {
      client.input_ended = true;
      client.is_gone = client.is_gone || (size < 0 && client.socket.number() >= 0);
      // A last line need not end.
      if (!client.received.empty() && !client.skips_line)
        add_line(client, std::exchange(client.received, {}), false);
      client.received.clear();
      return;
    }
    client.received.append(piece.data(), static_cast<std::size_t>(size));
    split(client);
  }
}

void LineClients::split(Client& client) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = client.received.find('\n', std::max(begin, client.scanned));
    if (end == std::string::npos) break;
    const bool is_too_long = end - begin > kMostLineBytes;
    if (!client.skips_line)
      add_line(client, is_too_long ? "" : client.received.substr(begin, end - begin), is_too_long);
    client.skips_line = false;
    begin = end + 1;
  }
  client.received.erase(0, begin);
  if (client.received.size() > kMostLineBytes && !client.skips_line) {
    add_line(client, "", true);
    client.skips_line = true;
  }
  if (client.skips_line) client.received.clear();
  client.scanned = client.received.size();
}

// Empty lines are none.
void LineClients::add_line(Client& client, std::string text, bool is_too_long) {
  if (!text.empty() && text.back() == '\r') text.pop_back();
  if (!is_too_long && text.find_first_not_of(" \t") == std::string::npos) return;
  client.line_bytes += text.size();
  client.lines.push_back({client.number, std::move(text), is_too_long});
}

// At most so many bytes at once as a pipe that is ready takes without waiting.
void LineClients::send(Client& client) {
  std::size_t sent = 0;
  const std::string_view all = client.to_send;
  while (sent < all.size()) {
    const short events = events_of(client.output, POLLOUT);
    if ((events & (POLLERR | POLLNVAL)) != 0) client.is_gone = true;
    if (client.is_gone || (events & POLLOUT) == 0) break;
    const std::string_view piece = all.substr(sent, PIPE_BUF);
    const ssize_t size = client.socket.number() >= 0
                             ? ::send(client.output, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                             : write(client.output, piece.data(), piece.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) break;
    if (size < 0) {
      client.is_gone = true;
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  client.to_send.erase(0, sent);
  if (!client.is_gone) return;
  client.input_ended = true;
  client.lines.clear();
  client.to_send.clear();
}

std::optional<LineClients::Line> LineClients::next() {
  const auto first = std::find_if(clients_.begin(), clients_.end(),
                                  [](const Client& client) { return !client.lines.empty(); });
  if (first == clients_.end()) return std::nullopt;
  Line line = std::move(first->lines.front());
  first->lines.pop_front();
  first->line_bytes -= line.text.size();
  ++first->unanswered;
  clients_.splice(clients_.end(), clients_, first);
  return line;
}

void LineClients::answer(std::uint64_t client, const std::string& line) {
  const auto found =
      std::find_if(clients_.begin(), clients_.end(), [&](const Client& one) { return one.number == client; });
  if (found == clients_.end()) return;
  --found->unanswered;
  if (!found->is_gone) found->to_send += line + '\n';
}

void LineClients::end_input() {
  has_ended_ = true;
  for (Client& client : clients_) {
    client.input_ended = true;
    client.received.clear();
    client.lines.clear();
  }
}

bool LineClients::is_over() const {
  const auto is_done = [](const Client& client) {
    return client.input_ended && client.lines.empty() &&
           (client.is_gone || (client.unanswered == 0 && client.to_send.empty()));
  };
  return (listening_ < 0 || has_ended_) && std::all_of(clients_.begin(), clients_.end(), is_done);
}

}  // namespace tailwave
