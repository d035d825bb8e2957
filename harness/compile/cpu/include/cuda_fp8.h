#pragma once

// float8_e4m3 and float8_e5m2 for the CPU device and for host variants.

#include "tailwave_small_floats.h"

TAILWAVE_FP8_TYPE(__nv_fp8_e4m3, Float8E4M3)
TAILWAVE_FP8_TYPE(__nv_fp8_e5m2, Float8E5M2)
