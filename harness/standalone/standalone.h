#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spec/system.h"

namespace tailwave {

// What an exported program is about.
struct StandaloneRequest {
  const System* system = nullptr;
  Configuration configuration;  // of a cuda variant
  int compute_capability = 0;   // that it is compiled for: 90 for 9.0; 0: that of the GPU that is there
  std::string measured;         // what is known of it, a line for the reader; may be empty
};

// A configuration as a program of its own, which verifies and times itself, without tailwave: a folder for a bug report or
// a colleague.
struct StandaloneProgram {
  std::string command;                                 // that compiles it, in the folder
  std::map<std::filesystem::path, std::string> files;  // by their paths in the folder
  std::vector<std::string> not_checked;                // what of the result nothing is compared with, and why
};

// program.cu has the configuration's macros, the template (source/, with the headers of its folder), inputs bit by bit as
// tailwave's (device/random_numbers.h; what is read or generated is in data/), launches with every expression evaluated,
// and a main: one execution verified, warm-up, samples by CUDA events, verified again. A reference that is a host variant
// is reference.cpp; one that is stored is in data/. Throws Error for what such a program cannot have: variants that are
// no CUDA source, several GPUs, NVSHMEM, some of the multiprocessors, textures, tensor maps, fills by functions.
StandaloneProgram standalone_program(const StandaloneRequest& request);

}  // namespace tailwave
