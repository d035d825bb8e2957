#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailwave {

struct AdoptOptions {
  std::filesystem::path source;  // a .cu file
  std::vector<std::string>
      kernels;       // in the order of their launches; none: those that the file launches, or its only one
  std::string name;  // of the system
  bool host_reference = false;  // a function to be written, instead of the kernels as they are
};

// A file to write: its path below the project's folder, and its text.
struct AdoptedFile {
  std::filesystem::path path;
  std::string text;
};

// A system and an experiment of kernels that exist, and what a person should know of them.
struct Adopted {
  std::vector<AdoptedFile>
      files;  // the manifest, sources, headers beside the source, and last the experiment
  std::vector<std::string> understood;  // lines
  struct Remark {
    std::string what, where;  // what was taken for granted, and where to say otherwise
  };
  std::vector<Remark> guesses;
  std::vector<Remark> by_hand;  // without which nothing compiles: the sources say so, too
};

// Reads the source as text: nothing of it is compiled or run, and no macro expanded. Throws Error (bad usage) for a file that
// cannot be read or has no kernel, for a kernel that is not in it, and where it cannot tell which of several kernels is
// meant.
Adopted adopt(const AdoptOptions& options);

}  // namespace tailwave
