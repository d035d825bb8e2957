#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "capture/captured_launch.h"
#include "capture/source_variant.h"

namespace tailwave {

struct CapturedSystem {
  std::filesystem::path manifest;
  std::filesystem::path experiment;  // of all sizes; empty: the manifest is one
  // What the manifest does not have or does not verify, in sentences for people; each stands in its README, too.
  std::vector<std::string> notes;
};

// A name that a system can have, of what the kernel is called.
std::string system_name(const std::string& demangled);

// Where the experiment of all sizes goes; empty for a folder that does not lie in kernel_templates/.
std::filesystem::path experiment_of_sizes(const std::filesystem::path& folder);
// Throws Error (bad usage) unless nothing is in the folder yet, and no experiment of its sizes.
void require_room(const std::filesystem::path& folder);

// Whether two launches differ in sizes and values alone, so that one manifest can have both.
bool are_alike(const CapturedLaunch& one, const CapturedLaunch& other);

// Makes the folder a system with the launches, which are alike, as its variant `captured`: code, memory before them as inputs,
// and what they left as stored results, all of which have to be the same bytes. Of several the quantity SIZE says which, and where
// the folder lies in kernel_templates/ there is an experiment of all, with how often each was launched as its weight. Files of
// the launches are moved. `command`: the application's; `source`: one of the kernel, which becomes the variant `tuned`. Throws Error as require_room() does, where the folder cannot be written, the
// launches reach no memory or a manifest cannot say what they pass; what was written is then removed.
CapturedSystem write_captured_system(const std::vector<CapturedLaunch>& launches,
                                     const std::filesystem::path& folder,
                                     const std::vector<std::string>& command,
                                     const std::vector<KernelTimes>& times,
                                     const SourceVariant* source = nullptr);

}  // namespace tailwave
