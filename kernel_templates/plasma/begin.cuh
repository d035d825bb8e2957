#pragma once

#include "trig.cuh"

// Before the first step: the look-up table, and exp(i x) of each ion.
extern "C" __global__ void begin(const double* positions, double2* turns, double2* lookup_table, int ions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kTrig == trig_lookup_table && i < kLookupTableSize)
    lookup_table[i] = wave_of(1, i * (2 * kPi / kLookupTableSize));
  if (kTrig == trig_rotation && i < ions) turns[i] = wave_of(1, positions[i]);
}
