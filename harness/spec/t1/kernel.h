#pragma once

#include "spec/system.h"
#include "spec/t1/file.h"

namespace tailwave {

// Reports a language that is not CUDA, of whose kernel nothing else can be said, unless the side file has a source for it.
void check_language(const T1File& file);

// ProblemSize: file.problem, and the quantities of the system. Comes before ConfigurationSpace.
void read_t1_problem(T1File& file, System& system);

// KernelSpecification but for its Arguments: the source, options, sizes and macros of the variant.
void read_t1_kernel(const T1File& file, VariantSpec& variant, LaunchSpec& launch);

}  // namespace tailwave
