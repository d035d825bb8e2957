#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "json/json.h"
#include "spec/system.h"

namespace tailwave {

// One candidate to be judged, complete.
struct JudgeRequest {
  std::size_t system = 0;  // its place in JudgeDefaults::systems
  std::string source;
  std::string name = "candidate.cu";  // what messages call it
  Configuration configuration;        // of the variant whose source it replaces
  Configuration baseline;             // what it is compared with: the system's own source
  std::optional<int> samples;         // exactly so many; none: as many as the default settings take
  bool reuse = false;                 // an earlier answer to the same will do
};

// What requests need not say, as the command line has it. Without a variant it is the baseline's, or the only one for a
// GPU; without a baseline it is the variant's own source.
struct JudgeDefaults {
  std::vector<const System*> systems;
  std::string variant, baseline;
  Json parameters, problem;  // objects, for requests that have none; absent: all have their defaults
  Json baseline_parameters;  // likewise, for all
};

inline constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20;

// The members of a request and what they mean: {"system": NAME, "source": TEXT or "file": PATH, "name": FILE NAME,
// "variant": NAME, "params": {...}, "problem": {...}, "samples": NUMBER, "reuse": FLAG}, and an "id" that is not read
// here. Throws Error (bad usage) with all that is wrong, unknown members included.
JudgeRequest read_request(const Json& request, const JudgeDefaults& defaults);

// A candidate's text. Throws Error (bad usage) for what is no regular file, cannot be read or is too large.
std::string read_candidate(const std::filesystem::path& file);

}  // namespace tailwave
