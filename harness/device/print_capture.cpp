#include "device/print_capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <new>

#include "core/descriptor.h"
#include "core/printable.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace {

constexpr std::size_t kPipeBytes = std::size_t{1} << 16;

// Nothing where the printer has closed the pipe, or made something else of it.
int bytes_in(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) == 0 ? bytes : 0;
}

}  // namespace

std::string shown(const Printed& printed) {
  std::string text = printable(std::string_view(printed.text).substr(0, kMostPrinted));
  if (printed.left_out > 0)
    text += fmt::format("{}... and {} bytes more\n", text.ends_with('\n') ? "" : "\n", printed.left_out);
  return text;
}

std::string shown_below(const std::string& line, const Printed& printed) {
  std::string text = shown(printed);
  if (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "" : fmt::format("{}:\n{}", line, text);
}

PrintCapture::PrintCapture() : shared_(*new (memory_.bytes().data()) Shared) {}

void PrintCapture::begin() {
  if (in_.number() < 0) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    out_ = Descriptor(ends[0]);
    in_ = Descriptor(ends[1]);
    fcntl(out_.number(), F_SETFL, O_NONBLOCK);
  }
  read_rest();
  ++shared_.part;
}

void PrintCapture::read_some() {
  std::array<char, kPipeBytes> text{};
  shared_.reading = true;
  const ssize_t size = read(out_.number(), text.data(), text.size());
  if (size > 0) keep(text.data(), static_cast<std::size_t>(size));
  shared_.reading = false;
}

// No more than a pipe holds: somebody who cannot be ended may still print.
void PrintCapture::read_rest() {
  if (out_.number() < 0) return;
  for (int left = bytes_in(out_.number()); left > 0; left -= static_cast<int>(kPipeBytes)) read_some();
}

void PrintCapture::keep(const char* text, std::size_t size) {
  if (shared_.of_part != shared_.part) {
    shared_.bytes = 0;
    shared_.of_part = shared_.part.load();
  }
  const std::size_t kept = std::min<std::uint64_t>(shared_.bytes, kMostPrinted);
  std::copy_n(text, std::min(size, kMostPrinted - kept), shared_.text.data() + kept);
  shared_.bytes += size;
}

void PrintCapture::redirect() {
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.number(), STDIN_FILENO);  // a terminal there could be written to
  if (in_.number() < 0) return;
  out_.close();
  dup2(in_.number(), STDOUT_FILENO);
  dup2(in_.number(), STDERR_FILENO);
  // Whole lines leave the process at once: it may die before it flushes anything. A stream that was used before heeds
  // that with another buffer alone.
  static std::array<char, BUFSIZ> lines;
  std::setvbuf(stdout, lines.data(), _IOLBF, lines.size());
}

void PrintCapture::settle() {
  constexpr double kMostS = 1;
  constexpr useconds_t kTurnUs = 20;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  const auto start = std::chrono::steady_clock::now();
  // In this order: what the reader has taken out of the pipe it says that it is reading until that is kept.
  while ((bytes_in(in_.number()) > 0 || shared_.reading) && seconds_since(start) < kMostS) usleep(kTurnUs);
}

Printed PrintCapture::take() {
  Printed printed;
  if (shared_.of_part == shared_.part) {
    const std::uint64_t bytes = shared_.bytes;
    const std::size_t kept = std::min<std::uint64_t>(bytes, kMostPrinted);
    printed = {std::string(shared_.text.data(), kept), bytes - kept};
  }
  ++shared_.part;
  return printed;
}

}  // namespace tailwave
