#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "target.h"

namespace tailwave::fuzz {

struct Settings {
  std::uint64_t seed = 1;
  std::uint64_t inputs = 2000;         // so many, or
  double seconds = 0;                  // for so long, unless it is 0
  std::filesystem::path folder = ".";  // for inputs that break something
};

// An input that did something else than be accepted or refused.
struct Finding {
  std::string input;
  std::string what;  // "was killed by signal 11 (Segmentation fault)"
};

struct Summary {
  std::uint64_t inputs = 0, accepted = 0;
  std::size_t different = 0;  // ways to be refused
  double seconds = 0;
  std::size_t findings = 0;
  std::vector<std::filesystem::path> kept;  // an input of each kind of finding
};

// Feeds the target's corpus as it is, then inputs made of it, batch by batch, each in a process of its own with limits
// of memory and time. The same seed and number of inputs make the same inputs. Findings are told on standard error and
// kept as files. Throws Error where nothing of the corpus is accepted: then little behind the parser is reached.
Summary run_campaign(const Target& target, const Settings& settings);

// What becomes of one input in this process, without limits: for a debugger. What the parser throws comes out.
std::string feed_once(const Target& target, const std::string& input);

}  // namespace tailwave::fuzz
