#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/nvcc_likeness.h"
#include "compile/nvrtc.h"

namespace tailwave {

// What NVRTC is given of a request: a source, and what stands for what nvcc has from the host's headers.
struct NvrtcUnit {
  std::string name, prelude, text;
  std::vector<std::string> kernels, options;
  std::map<std::string, std::string> headers;
  NvccLikeness like;

  // `code`: the text, or what is left of it. Again for as long as the errors show what helps, which `like` keeps.
  [[nodiscard]] NvrtcResult compiled(const NvrtcLibrary& nvrtc, const std::string& code,
                                     const std::string& further_option = "");
};

// With the folders of headers behind the options, of which there is at least one.
NvrtcUnit nvrtc_unit(const BuildRequest& request, std::vector<std::string> options, const NvrtcLibrary& nvrtc,
                     const NvccLikeness& like);

// Of a unit whose whole text does not compile: more and more of what the errors blame is left out, until the rest does.
// Throws Failure(compile_error) where that never comes.
NvrtcResult compile_without_host_code(const NvrtcLibrary& nvrtc, NvrtcUnit& unit, const BuildRequest& request,
                                      const std::string& log_of_whole);

}  // namespace tailwave
