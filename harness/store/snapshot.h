#pragma once

#include <filesystem>

namespace tailwave {

// What a database holds at one moment, as one file without a log beside it, by SQLite's online backup: the database may be
// written meanwhile, and its writers do not wait. The copy is made in `scratch`, a folder of a local disk, and takes the
// place of `target` as replace_file() says, so that `target` may lie on a network file system, where SQLite itself
// would need locks. Throws Error (kRunFailed) that names the file.
void publish_snapshot(const std::filesystem::path& database, const std::filesystem::path& scratch,
                      const std::filesystem::path& target);

}  // namespace tailwave
