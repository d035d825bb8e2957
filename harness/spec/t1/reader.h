#pragma once

#include "spec/document.h"
#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// T1 is the autotuning community's description of a kernel and what of it may vary (docs/t1.md): Kernel Tuner and KTT
// read it, too. A JSON object with ConfigurationSpace or KernelSpecification is one, as is one with their names in
// T1's drafts, which is refused with the names that they have now.
bool is_t1(const Json& root);

// Makes of a T1 file an experiment with a system of one cuda variant, which is also the reference. experiment.file is
// there already. What is wrong goes to `reporter`, what is only strange to experiment.warnings, each with its line:
// "line 12, /KernelSpecification/KernelFile".
void read_t1(const Document& document, Experiment& experiment, Reporter& reporter);

}  // namespace tailwave
