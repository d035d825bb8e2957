#pragma once
#ifdef TAILWAVE_WITH_CUPTI

#include <functional>
#include <vector>

#include "device/counters.h"
#include "device/cuda/cupti_api.h"

namespace tailwave {

// CounterSource::record() by CUPTI's activity records, which the GPU writes while kernels overlap as ever; of a graph each
// of its nodes. `ordinal`: of the GPU that counts as 0. A context has to be current, and one recording at a time in a
// process. Of a record nothing is read but what stands at the same place in those of CUDA 12.6 to 13.
//
// Throws Failure(launch_failed) with the text of describe_obstacle() where CUPTI refuses, lost records, or is of a CUDA
// release whose records nobody here knows, and whatever `work` throws.
std::vector<Activity> record_activities(const CuptiApi& cupti, int ordinal,
                                        const std::function<void()>& work);

}  // namespace tailwave

#endif
