#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/trial.h"

namespace tailwave {

// Whether the first blocks of a grid, launched alone, do what they do in the whole grid without a change of the code: the
// grid has one dimension, and no function of the program reads how large it is. Throws Failure(compile_error) for an entry
// that is not there.
bool runs_cut_as_it_is(std::string_view ptx, const std::string& entry, const Dim3& grid);

// The PTX changed so that `entry`, launched with n blocks in one dimension, runs the first n blocks of `grid` (x fastest,
// as the hardware starts them): each has the indices and sees the size that it has in that grid. Of no use for other entries.
// Throws Failure(compile_error): an entry that is not there; one that reads which cluster it is in (%clusterid,
// %nclusterid) or whose clusters extend in y or z; a grid of 2^31 blocks or more.
std::string cut_grid(std::string_view ptx, const std::string& entry, const Dim3& grid);

// Blocks of a cluster, of which a grid has whole ones: 1 of a kernel that does not say how large its clusters are.
std::int64_t cluster_blocks(std::string_view ptx, const std::string& entry);

}  // namespace tailwave
