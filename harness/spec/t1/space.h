#pragma once

#include "spec/experiment.h"
#include "spec/t1/file.h"

namespace tailwave {

// ConfigurationSpace: the parameters and defaults of the file, and the constraints of the experiment.
void read_t1_space(T1File& file, Experiment& experiment);

}  // namespace tailwave
