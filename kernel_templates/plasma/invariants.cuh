#pragma once

// The physical check: what a run keeps. One block; untimed, so as plain as it gets.

#include "model.cuh"
#include "sums.cuh"

constexpr int kCheckThreads = 256;

// nu of the positions, one thread a mode.
extern "C" __global__ void check_density(const double* positions, double2* nu, int ions, int modes) {
  const int mode = blockIdx.x * kCheckThreads + threadIdx.x;
  if (mode >= modes) return;
  double2 sum = {};
  for (int s = 0; s < ions; ++s) {
    const double2 turned = wave_of(1, -(mode + 1) * positions[s]);
    sum = plus(sum, scaled(1.0 / ions, turned));
  }
  nu[mode] = sum;
}

// Those of the state; nu has to belong to the positions.
extern "C" __global__ void take_invariants(const double* velocities, const double2* nu,
                                           const double* amplitudes, const double* phases, const double* pump,
                                           double* invariants, double pressure, double screening,
                                           double coupling, double dispersion, double detuning, int ions,
                                           int modes) {
  double sums[4] = {};  // action, momentum, energy
  for (int s = threadIdx.x; s < ions; s += kCheckThreads) {
    sums[1] += velocities[s] / ions;
    sums[2] += velocities[s] * velocities[s] / 2 / ions;
  }
  const double2 pump_wave = wave_of(pump[0], pump[1]);
  for (int mode = threadIdx.x; mode < modes; mode += kCheckThreads) {
    const int n = mode + 1;
    const double2 wave = wave_of(amplitudes[mode], phases[mode]);
    const double action = amplitudes[mode] * amplitudes[mode];
    sums[0] += action;
    sums[1] += n * action;
    sums[2] += pressure_of(n, pressure, screening) / 2 * square(nu[mode]) +
               frequency_of(n, dispersion, detuning) * action +
               coupling * conjugate_times(times(nu[mode], pump_wave), wave).x;
  }
  add_up_block<kCheckThreads>(sums);
  if (threadIdx.x > 0) return;
  invariants[0] = sums[0] + pump[0] * pump[0];
  invariants[1] = sums[1];
  invariants[2] = sums[2];
}

extern "C" __global__ void compare_invariants(const double* before, const double* after,
                                              double* action_change, double* momentum_change,
                                              double* energy_change) {
  *action_change = after[0] - before[0];
  *momentum_change = after[1] - before[1];
  *energy_change = after[2] - before[2];
}
