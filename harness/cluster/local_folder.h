#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "cluster/submission.h"
#include "core/descriptor.h"

namespace tailwave {

// The disk of this machine for what is not published yet: $SLURM_TMPDIR, $TMPDIR or /tmp, the first of them that is a folder
// which can be written.
std::filesystem::path local_disk();

// Where a task keeps its database: on the local disk, with a folder of the submission's and shard's name in it, this user's alone. Made where there is none; throws Error
// (kRunFailed) where it cannot be, or is somebody else's.
std::filesystem::path local_folder(const Submission& submission, std::size_t shard);

// Holds the folder's lock, which waits up to `patience_s` for another attempt on this machine. Throws Error (kRunFailed).
Descriptor lock_local_folder(const std::filesystem::path& folder, double patience_s);
// Whether an attempt holds it now.
bool is_held(const std::filesystem::path& folder);

}  // namespace tailwave
