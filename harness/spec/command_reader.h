#pragma once

#include <string>
#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// Reads the words of a program's command. In braces stands an expression over `known`, of which `defaults` are values, a
// buffer, which becomes an argument of the launch, or `program`; "{{" and "}}" are braces. Not `taken`: values are not
// looked at. Everything wrong is reported.
void read_command(const Json& place, const System& system, const std::vector<std::string>& known,
                  const Values& defaults, bool taken, LaunchSpec& launch, Reporter& reporter);

// The command that builds a variant's program: `source` and `program` in braces, and no buffers.
std::vector<CommandWord> read_build(const Json& place, const System& system, const VariantSpec& variant,
                                    Reporter& reporter);

}  // namespace tailwave
