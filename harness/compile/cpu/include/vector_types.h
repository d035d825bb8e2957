#pragma once

// A template that includes the runtime API for its device side gets what it would have without.

#include "tailwave_cuda.h"
