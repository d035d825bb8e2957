#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "core/descriptor.h"
#include "core/members.h"
#include "device/shared_memory.h"

namespace tailwave {

// What was printed, as it came: the beginning, and how many bytes followed that nobody kept.
struct Printed {
  std::string text;
  std::uint64_t left_out = 0;

  static constexpr auto members() {
    return std::tuple{member("text", &Printed::text), member("left_out", &Printed::left_out)};
  }
};

inline constexpr std::size_t kMostPrinted = 4096;  // bytes that are kept

// As people may see it, and a database keep it, with a last line that says what was left out: see core/printable.h.
// Empty where nothing was printed.
std::string shown(const Printed& printed);
// The same below a line that says by whom, without a newline at its end.
std::string shown_below(const std::string& line, const Printed& printed);

// Standard output and standard error of a process and of all that it starts: a pipe that another process empties as it
// fills, so that nobody waits for long and nothing grows, however much is printed. Its beginning is in memory that all
// of them share, where it is even when the process that printed has died.
//
// Three processes know it: the one that made it, and below that one the reader and the printer, which the reader forks.
class PrintCapture {
 public:
  PrintCapture();  // throws Error

  // In the reader. begin(): before a printer is forked; what was there is forgotten. A system that refuses a pipe
  // leaves a printer its standard output and error as they are.
  void begin();
  [[nodiscard]] int descriptor() const {
    return out_.number();
  }  // readable when there is something; -1: no pipe
  void read_some();
  void read_rest();  // of a printer that has ended

  // In the printer.
  void redirect();
  // Whatever was printed before is kept, or left out, when this returns: flushes the streams of C and C++ and waits for
  // the reader, for a second at most.
  void settle();

  // In the printer after settle(), or in the process that made this while no printer prints: what there is since it was
  // taken last.
  Printed take();

 private:
  struct Shared {
    std::atomic<std::uint64_t> part{1};     // counts what take() gives
    std::atomic<std::uint64_t> of_part{0};  // to which the rest belongs
    std::atomic<std::uint64_t> bytes{0};    // in all, of which the first are kept
    std::atomic<bool> reading{false};
    std::array<char, kMostPrinted> text{};
  };

  void keep(const char* text, std::size_t size);

  SharedMemory memory_{sizeof(Shared)};
  Shared& shared_;
  Descriptor out_, in_;  // the pipe's ends
};

}  // namespace tailwave
