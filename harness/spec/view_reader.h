#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// What the arguments of a launch are read with, see ArgumentReader.
struct ArgumentScope {
  const System& system;
  const std::vector<std::string>& known;
  const Values& defaults;
  bool taken;
  Reporter& reporter;
};

// Whether the argument at `place` is a texture or a tensor map; keys of these in another one are reported.
bool is_view(const Json& place, Reporter& reporter);

// Empty, and the reason reported, for what is none.
std::optional<Argument> read_view(const Json& place, const ArgumentScope& scope);

}  // namespace tailwave
