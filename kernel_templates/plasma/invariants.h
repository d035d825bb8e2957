#pragma once

// The physical check for host variants, which define density(): what a run keeps.

#include "model.h"

// Fills `invariants` with those of the state. Overwrites nu.
extern "C" void take_invariants(const double* positions, const double* velocities, double* nu,
                                const double* amplitudes, const double* phases, const double* pump,
                                double* invariants, double dt, double pressure, double screening,
                                double coupling, double dispersion, double detuning, int ions, int modes) {
  density(positions, nu, ions, modes);
  const plasma::State state{const_cast<double*>(positions),
                            const_cast<double*>(velocities),
                            nullptr,
                            nu,
                            const_cast<double*>(amplitudes),
                            const_cast<double*>(phases),
                            const_cast<double*>(pump),
                            ions,
                            modes};
  plasma::invariants_of(state, {dt, pressure, screening, coupling, dispersion, detuning}, invariants);
}

extern "C" void compare_invariants(const double* before, const double* after, double* action_change,
                                   double* momentum_change, double* energy_change) {
  *action_change = after[0] - before[0];
  *momentum_change = after[1] - before[1];
  *energy_change = after[2] - before[2];
}
