#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace tailwave {

// A Unix socket that only its owner may use (mode 0600); its file goes with this object, unless another one has taken
// its place. Throws Error (bad usage) for a path that is empty or too long, one where a service answers and one where
// something else than a socket is, and Error (kRunFailed) where the system refuses. A socket that nobody answers at is
// replaced.
class ListeningSocket {
 public:
  explicit ListeningSocket(const std::filesystem::path& path);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  std::filesystem::path path_;
  Descriptor socket_;
  dev_t device_ = 0;  // of the file
  ino_t inode_ = 0;
};

// Programs that send a line for each request and get a line for each answer: one at a pair of descriptors, or any
// number at a socket. Requests are taken from one after another in turn. None can hold up the others: who sends more
// than is taken, or does not read its answers, is not read from meanwhile. Of one that has closed its socket, lines
// that were not taken are forgotten; one that has only ended its sending gets all answers. Never waits.
class LineClients {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMostClients = 100;

  // The descriptors stay with the caller.
  LineClients(int input, int output);
  explicit LineClients(int listening_socket);
  ~LineClients();
  LineClients(const LineClients&) = delete;
  LineClients& operator=(const LineClients&) = delete;

  struct Line {
    std::uint64_t client = 0;
    std::string text;
    bool is_too_long = false;  // then without its text
  };

  [[nodiscard]] std::vector<pollfd> descriptors() const;
  // Takes what has come, sends what can be sent, and lets go who is gone.
  void transfer();
  // The next line of whoever's turn it is. An answer() is due for each.
  std::optional<Line> next();
  // Nothing happens where the client has gone. Without line end.
  void answer(std::uint64_t client, const std::string& line);
  // Nothing more is read or accepted, and lines that were not taken are forgotten.
  void end_input();
  // The input has ended, and all is answered and sent.
  [[nodiscard]] bool is_over() const;

 private:
  struct Client {
    std::uint64_t number = 0;
    int input = -1, output = -1;  // equal for a socket
    Descriptor socket;            // of one that came to the socket
    std::string received, to_send;
    std::size_t scanned = 0;  // of what is received, without a line end
    bool skips_line = false;  // what is left of one that was too long
    bool input_ended = false, is_gone = false;
    std::size_t unanswered = 0;
    std::deque<Line> lines;
    std::size_t line_bytes = 0;  // of lines
  };

  void accept_clients();
  [[nodiscard]] static bool wants_input(const Client& client);
  static void receive(Client& client);
  static void split(Client& client);
  static void add_line(Client& client, std::string text, bool is_too_long);
  static void send(Client& client);

  int listening_ = -1;
  bool has_ended_ = false;
  std::uint64_t last_number_ = 0;
  std::list<Client> clients_;  // the next one in turn first
};

}  // namespace tailwave
