#pragma once

#include <string>

#include "adopt/adopt.h"
#include "adopt/draft.h"

namespace tailwave {

// What a finished draft says, as files: the manifest, the sources of both variants, and the experiment. The sources do not
// compile as long as something is to be done by hand, and say what.
std::vector<AdoptedFile> adopted_files(const Draft& draft, const AdoptOptions& options);

// The same in lines for a person.
std::vector<std::string> description_of(const Draft& draft, const AdoptOptions& options);

}  // namespace tailwave
