#pragma once

#include <filesystem>
#include <string>

namespace tailwave {

// Another one for every program with other code: for keys of what depends on the program itself. The build id that the
// linker gave the running program, which costs nothing to read; the hash of its file where it gave none. Throws Error
// where that cannot be read.
const std::string& program_identity();

// The build id as hex digits; empty: there is none.
std::string build_id();
std::string identity_of(const std::string& build_id, const std::filesystem::path& program);

}  // namespace tailwave
