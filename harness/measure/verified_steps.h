#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "measure/candidate.h"
#include "measure/repetition.h"
#include "verify/compare.h"

namespace tailwave {

// How its results for a problem are compared, by buffer: none where the system has no reference. Throws
// Failure(wrong_result) where nothing is for another reason.
std::map<std::string, ResolvedComparison> comparisons_of(const Candidate& candidate, const Values& scope);

bool is_range(const ResolvedComparison& comparison);
bool uses_reference(const std::map<std::string, ResolvedComparison>& comparisons);

// What a worker does in the candidate's next repetition: verifies other problems, then its own with the first draw,
// samples, verifies one of the samples with the second draw, which the code has not seen before, and last of all
// verifies with further draws. Throws Failure(wrong_result) for another problem that cannot be evaluated.
std::vector<Step> steps_of(const Candidate& candidate, std::uint64_t first_draw);

}  // namespace tailwave
