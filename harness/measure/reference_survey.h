#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/reference_cache.h"
#include "spec/system.h"

namespace tailwave {

// What a verification is worth, as far as the reference's results on two draws of the inputs tell.
struct ReferenceSurvey {
  std::vector<std::string> remarks;  // a clause each: what is not verified, or only in name
  // No random input changes any result: then agreeing with it shows nothing.
  bool is_constant = false;
  std::int64_t written_bytes = 0;  // by each execution, of the output-only buffers
};

// `buffers`: those that are compared, with what the reference made of draw `draw` and of the one after it; `scope`: see
// scope_of_reference().
ReferenceSurvey survey_reference(const System& system, const Values& scope,
                                 const std::vector<std::string>& buffers, std::uint64_t draw,
                                 const BufferContents& first, const BufferContents& second);

}  // namespace tailwave
