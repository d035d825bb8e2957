#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace tailwave {

// A program to start, and what it begins with. Descriptors stay the caller's.
struct ProgramStart {
  std::vector<std::string> command;      // looked up on PATH, without a shell
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::filesystem::path folder = {};     // empty: where this process is
  int input = -1;                        // -1: there is nothing to read
  int output = -1;                       // -1: that of this process
  int errors = -1;                       // -1: where the output goes
  bool is_confined = true;               // as confine_programs() says
};

// A program in a process group of its own, and above it a keeper: a process that ends all that the program has started
// when the program has ended, and all of it at once when it is told so or this process dies. The keeper has the
// program's output open until then. Safe to make from several threads at once; what a thread has made ends with it.
class KeptProgram {
 public:
  // Throws Error where no process can be made.
  explicit KeptProgram(const ProgramStart& start);
  ~KeptProgram();
  KeptProgram(const KeptProgram&) = delete;
  KeptProgram& operator=(const KeptProgram&) = delete;

  // At its end once the program is under way; what is read before is the number of the error for which it is not.
  [[nodiscard]] int answer() const { return answer_.number(); }
  // Throws Error for what was read there.
  void require_started(const std::string& answered) const;
  // All of it, at once.
  void end() const noexcept;
  // Until it has ended: the status as waitpid() has it.
  int wait() noexcept;

 private:
  std::string name_;
  Descriptor answer_;
  pid_t keeper_ = 0;  // 0: it was waited for
  int status_ = 0;
};

// Its reading and its writing end, which no program inherits. Throws Error, which names `program`.
std::pair<Descriptor, Descriptor> make_pipe(const std::string& program);

}  // namespace tailwave
