#pragma once

// The model for host variants, as README.md states it, with waves as complex numbers (kernels have amplitudes and
// phases). What it takes from its includer is the sum over ions and the force on them, where the time goes.

#include <cmath>
#include <complex>
#include <vector>

namespace plasma {

using Complex = std::complex<double>;

inline constexpr double kTwoPi = 6.283185307179586476925286766559;
inline constexpr Complex kI{0, 1};

struct Couplings {
  double dt, pressure, screening, coupling, dispersion, detuning;
};

struct State {
  double* positions;
  double* velocities;
  double* forces;
  double* density;  // real and imaginary parts, for n = 1, 2, ...
  double* amplitudes;
  double* phases;
  double* pump;  // amplitude, phase
  int ions, modes;
};

inline double pressure_of(const Couplings& c, int n) {
  return c.pressure / (1 + (n * c.screening) * (n * c.screening));
}

inline double frequency_of(const Couplings& c, int n) {
  return c.dispersion * n * n - c.detuning;
}

// Turns and stretches a wave given by amplitude and phase into `to`, which was `from`; the phase stays continuous.
inline void store_wave(double& amplitude, double& phase, Complex from, Complex to) {
  amplitude = std::abs(to);
  phase += std::arg(to * std::conj(from));
}

// From the density to the field; advances the waves by one step. Returns E_n at n - 1.
inline std::vector<Complex> advance_waves(const State& state, const Couplings& c) {
  const double half = c.coupling * c.dt / 2;
  const Complex pump = std::polar(state.pump[0], state.pump[1]);
  std::vector<Complex> nu(state.modes), waves(state.modes), field(state.modes);
  Complex exchange = 0;
  double strength = 0;
  for (int i = 0; i < state.modes; ++i) {
    nu[i] = {state.density[2 * i], state.density[2 * i + 1]};
    waves[i] = std::polar(state.amplitudes[i], state.phases[i]);
    exchange += half * std::conj(nu[i]) * waves[i];
    strength += half * half * std::norm(nu[i]);
  }
  const Complex pump_middle = (pump - kI * exchange / 2.0) / (1 + strength / 4);
  for (int i = 0; i < state.modes; ++i) {
    const int n = i + 1;
    const Complex middle = waves[i] - kI * (half / 2) * nu[i] * pump_middle;
    field[i] = -kI * static_cast<double>(n) *
               (pressure_of(c, n) * nu[i] + c.coupling * std::conj(pump_middle) * middle);
    store_wave(state.amplitudes[i], state.phases[i], waves[i], 2.0 * middle - waves[i]);
    state.phases[i] -= frequency_of(c, n) * c.dt;
  }
  store_wave(state.pump[0], state.pump[1], pump, 2.0 * pump_middle - pump);
  return field;
}

inline void move(const State& state, const Couplings& c, int ion, double force) {
  state.forces[ion] = force;
  state.velocities[ion] += c.dt * force;
  const double position = state.positions[ion] + c.dt * state.velocities[ion];
  state.positions[ion] = position - kTwoPi * std::floor(position / kTwoPi);
}

// What no step changes (energy: what it should not change): of the state with the density of its positions.
inline void invariants_of(const State& state, const Couplings& c, double* invariants) {
  const Complex pump = std::polar(state.pump[0], state.pump[1]);
  double action = std::norm(pump), momentum = 0, energy = 0;
  for (int s = 0; s < state.ions; ++s) {
    momentum += state.velocities[s] / state.ions;
    energy += state.velocities[s] * state.velocities[s] / 2 / state.ions;
  }
  for (int i = 0; i < state.modes; ++i) {
    const int n = i + 1;
    const Complex nu{state.density[2 * i], state.density[2 * i + 1]};
    const Complex wave = std::polar(state.amplitudes[i], state.phases[i]);
    action += std::norm(wave);
    momentum += n * std::norm(wave);
    energy += pressure_of(c, n) / 2 * std::norm(nu) + frequency_of(c, n) * std::norm(wave) +
              c.coupling * std::real(std::conj(nu * pump) * wave);
  }
  invariants[0] = action;
  invariants[1] = momentum;
  invariants[2] = energy;
}

}  // namespace plasma
