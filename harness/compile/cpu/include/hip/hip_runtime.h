#pragma once

// The kernel language of HIP is CUDA's.

#include "tailwave_cuda.h"
