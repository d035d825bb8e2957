#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/descriptor.h"
#include "core/kept_program.h"

namespace tailwave {

// A program that one speaks with in lines: they go to its stdin and come from its stdout. What it writes to stderr goes
// through to that of this process, line by line. It is ended, with all that it started, when this goes or this process
// dies.
class LineProgram {
 public:
  enum class Heard { line, ended, too_late, too_long, stopped };
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  // `command` is one for /bin/sh. Throws Error where no process can be made.
  explicit LineProgram(const std::string& command);

  // Never waits: what the program does not read yet is kept. The end of the line is added.
  void send(std::string_view line);
  // Waits for a line, which is had without its end, as long as `stop` is not true.
  Heard hear(std::string& line, std::chrono::duration<double> most, const std::function<bool()>& stop);
  // Closes its stdin and gives it so long to end by itself.
  void finish(std::chrono::duration<double> grace);

  // Ends it at once.
  void end();

  // Once it has ended: "status 3", "signal 9 (Killed)".
  std::string how_it_ended();
  // Of the last line with something in it that it wrote to stderr, at most the first 500 characters.
  [[nodiscard]] const std::string& last_error() const { return last_error_; }

 private:
  // The first of each reads. Its stdin keeps a reader here, too, so that writing to a program that has ended is an error
  // and no signal.
  struct Pipes {
    Pipes();
    [[nodiscard]] ProgramStart start(const std::string& command) const;

    std::pair<Descriptor, Descriptor> input, output, errors;
  };

  void exchange(std::chrono::duration<double> most);
  void write_some();
  void pass_on_errors();
  void pass_on(std::string_view line);
  bool take_line(std::string& line);

  Pipes pipes_;
  KeptProgram program_;
  std::string unsent_, unread_, unread_errors_;
  std::size_t searched_ = 0;  // of unread_, for the end of a line
  std::string last_error_;
  bool has_ended_ = false;
};

}  // namespace tailwave
