#include "cli/own_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace tailwave {
namespace {

// Beyond the numbers that programs know. What is not open for that use stays so.
Descriptor copy_of(int stream, int use) {
  constexpr int kFirst = 10;
  const int how = fcntl(stream, F_GETFL);
  if (how >= 0 && (how & O_ACCMODE) != use && (how & O_ACCMODE) != O_RDWR) return {};
  Descriptor copy(fcntl(stream, F_DUPFD_CLOEXEC, kFirst));
  if (copy.number() < 0 && errno != EBADF)
    throw Error(fmt::format("copying a standard stream: {}", std::strerror(errno)));
  return copy;
}

}  // namespace

OwnStreams::OwnStreams()
    : input_(copy_of(STDIN_FILENO, O_RDONLY)), output_(copy_of(STDOUT_FILENO, O_WRONLY)) {
  std::fflush(stdout);
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.number(), STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

OwnStreams::~OwnStreams() {
  std::fflush(stdout);
  dup2(input_.number(), STDIN_FILENO);
  dup2(output_.number(), STDOUT_FILENO);
}

}  // namespace tailwave
