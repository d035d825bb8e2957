#pragma once

// Instead of the C library's: a failed assertion ends the launch, not the process.

#include "tailwave_cuda.h"
