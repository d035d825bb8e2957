#pragma once

#include <filesystem>
#include <string>

namespace tailwave {

// A program that shows CUDA machine code as text. Only the toolkit has one.
struct Disassembler {
  std::filesystem::path program;  // nvdisasm, or cuobjdump
  std::string version;            // "nvdisasm 13.2"

  // What it prints of a cubin: for sass_listings(). Throws Error with its own words where it fails, as for a GPU that is
  // newer than it.
  [[nodiscard]] std::string disassemble(const std::filesystem::path& cubin) const;
};

// $TAILWAVE_NVDISASM (nothing else is tried when it is set), else nvdisasm, else cuobjdump: on PATH, in bin/ of
// toolkit_roots(), beside the folder of `library` (NVRTC's, where wheels have their programs in ../bin). Throws Error that
// says where it was looked for.
Disassembler find_disassembler(const std::filesystem::path& library);

}  // namespace tailwave
