#pragma once

#include <filesystem>
#include <string_view>

namespace tailwave {

// Files that others read while they are replaced, on other machines too: readers find what was there or what is new, never a
// part. The new one is made beside `target` under a name of this process, is on the disk when it takes its place, and is
// removed where that fails. Both throw Error (kRunFailed) that names the file and the cause.

void replace_file(const std::filesystem::path& target, std::string_view text);
void replace_with_copy(const std::filesystem::path& target, const std::filesystem::path& source);

}  // namespace tailwave
