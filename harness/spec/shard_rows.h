#pragma once

#include <memory>

#include "core/shard.h"
#include "space/point_source.h"
#include "spec/problem_space.h"

namespace tailwave {

// Of the rows of a source those whose configurations are a shard's; `problem` knows the configurations of the rows.
// Of their number a lower bound is known that nearly always holds: names are spread over shards like random draws, and it
// is four standard deviations below what is expected.
std::shared_ptr<PointSource> rows_of_shard(std::shared_ptr<PointSource> all, ProblemSpace problem,
                                           const Shard& shard);

}  // namespace tailwave
