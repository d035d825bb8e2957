#pragma once

// The waves' part of the model, as README.md states it, and the motion of an ion.

#include "complex.cuh"

constexpr double kTwoPi = 6.283185307179586476925286766559;

__device__ inline double pressure_of(int n, double pressure, double screening) {
  return pressure / (1 + (n * screening) * (n * screening));
}

__device__ inline double frequency_of(int n, double dispersion, double detuning) {
  return dispersion * n * n - detuning;
}

// `change` is what is added to a wave, in a frame that turns with it; so the phase stays continuous.
__device__ inline void add_to_wave(double& amplitude, double& phase, double2 change) {
  const double real = amplitude + change.x;
  amplitude = hypot(real, change.y);
  phase += atan2(change.y, real);
}

// The pump half a step on, from exchange = sum conj(nu_n) a_n and strength = sum |nu_n|^2; `pump` gets its new values.
__device__ inline double2 step_pump(double* pump, double2 exchange, double strength, double coupling,
                                    double dt) {
  const double half = coupling * dt / 2;
  const double2 old_pump = wave_of(pump[0], pump[1]);
  const double2 pulled = plus(old_pump, scaled(half / 2, minus_i_times(exchange)));
  const double2 middle = scaled(1 / (1 + half * half * strength / 4), pulled);
  const double2 turned = conjugate_times(wave_of(1, pump[1]), plus(middle, scaled(-1, old_pump)));
  add_to_wave(pump[0], pump[1], scaled(2, turned));
  return middle;
}

// The two parts of the field E_n = parts[0] + parts[1]: the electrons' pressure and that of the waves. Advances mode n.
__device__ inline void step_mode(int n, double2 nu, double2 pump_middle, double& amplitude, double& phase,
                                 double dt, double pressure, double screening, double coupling,
                                 double dispersion, double detuning, double2* parts) {
  const double quarter = coupling * dt / 4;
  const double2 direction = wave_of(1, phase);
  const double2 half_change =
      scaled(quarter, minus_i_times(conjugate_times(direction, times(nu, pump_middle))));
  const double2 middle = times(direction, complex(amplitude + half_change.x, half_change.y));
  parts[0] = scaled(n * pressure_of(n, pressure, screening), minus_i_times(nu));
  parts[1] = scaled(n * coupling, minus_i_times(conjugate_times(pump_middle, middle)));
  add_to_wave(amplitude, phase, scaled(2, half_change));
  phase -= frequency_of(n, dispersion, detuning) * dt;
}

// Returns the new position.
__device__ inline double move(double& position, double& velocity, double force, double dt) {
  velocity += dt * force;
  const double moved = position + dt * velocity;
  return position = moved - kTwoPi * floor(moved / kTwoPi);
}
