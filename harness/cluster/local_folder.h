#pragma once

#include <cstddef>
#include <filesystem>

#include "cluster/submission.h"
#include "core/descriptor.h"

namespace tailwave {

// Where a task keeps its database: $SLURM_TMPDIR, $TMPDIR or /tmp, the first of them that is a folder which can be written,
// with a folder of the submission's and shard's name in it, this user's alone. Made where there is none; throws Error
// (kRunFailed) where it cannot be, or is somebody else's.
std::filesystem::path local_folder(const Submission& submission, std::size_t shard);

// Holds the folder's lock, which waits up to `patience_s` for another attempt on this machine. Throws Error (kRunFailed).
Descriptor lock_local_folder(const std::filesystem::path& folder, double patience_s);

}  // namespace tailwave
