// Calls a function of the host that fills a buffer. Compiled at run time by the host compiler, and linked with the
// function's unit.
//
//   PROGRAM CALL BUFFER
//
// CALL is what write_call() makes (races/made_buffer.h): the buffer's size in bytes, and then each argument, "buffer" or
// "scalar SIZE BITS". BUFFER is the file that gets what the function filled. Where that cannot be, the last line printed
// says why, and the status is 3.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <list>
#include <string>
#include <vector>

#include "tailwave_abi.h"

// The function's unit (tailwave_host.h).
extern "C" const tailwave_cpu::Table tailwave_table;

namespace {

[[noreturn]] void give_up(const std::string& message) {
  printf("%s\n", message.c_str());
  exit(3);
}

// The bytes behind the buffer, which no function may touch.
constexpr size_t kGuardBytes = 4096;
constexpr unsigned char kGuard = 0xA5;

}  // namespace

int main(int, char** words) {
  std::ifstream call(words[1]);
  size_t bytes = 0;
  call >> bytes;
  std::vector<unsigned char> buffer(bytes + kGuardBytes, kGuard);
  memset(buffer.data(), 0, bytes);
  void* const address = buffer.data();
  std::list<uint64_t> scalars;
  std::vector<void*> arguments;
  const tailwave_cpu::Entry& entry = tailwave_table.entries[0];
  for (std::string kind; call >> kind;) {
    size_t size = sizeof(void*);
    scalars.push_back(0);
    if (kind == "scalar") call >> size >> scalars.back();
    arguments.push_back(kind == "scalar" ? static_cast<void*>(&scalars.back())
                                         : const_cast<void**>(&address));
    const size_t place = arguments.size() - 1;
    if (place >= static_cast<size_t>(entry.argument_count)) continue;
    const tailwave_cpu::Argument& parameter = entry.arguments[place];
    if (parameter.pointer != (kind == "buffer") || parameter.size != size)
      give_up("argument " + std::to_string(place + 1) + " is another kind of value than the function takes");
  }
  if (arguments.size() != static_cast<size_t>(entry.argument_count))
    give_up("it takes " + std::to_string(entry.argument_count) + " arguments, not " +
            std::to_string(arguments.size()));
  char message[500] = "";
  if (!entry.call(arguments.data(), message, sizeof message)) give_up(message);
  for (size_t i = bytes; i < buffer.size(); ++i)
    if (buffer[i] != kGuard) give_up("it writes beyond the buffer");
  std::ofstream file(words[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(buffer.data()), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) give_up("its results cannot be written");
}
