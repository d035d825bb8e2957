#pragma once

#include <filesystem>
#include <string>

namespace tailwave {

// Writes what --out asked for: the folders above the file are made, and the file is there whole or as it was before.
// A file that does not begin as `text` does, up to the first name in it, is something else and stays as it is: a
// database, a spec. What is no regular file, such as /dev/stdout, is written to as it is. Throws Error (kRunFailed)
// that names the file and the cause.
void write_output_file(const std::filesystem::path& file, const std::string& text);

}  // namespace tailwave
