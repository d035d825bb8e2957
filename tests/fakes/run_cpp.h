#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "fakes/scratch_folder.h"

namespace tailwave {

// What a C++17 program prints that the host's compiler makes, in a folder in which its headers are; else what the
// compiler complains about.
inline std::string run_cpp(const ScratchFolder& folder, const std::string& source,
                           const std::string& options = "") {
  folder.write("program.cpp", source);
  const std::string command = "cd '" + folder.path().string() +
                              "' && c++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror " +
                              options + " program.cpp -o program 2>&1 && ./program 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  return text;
}

}  // namespace tailwave
