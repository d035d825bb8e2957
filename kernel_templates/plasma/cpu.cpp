// One step on one core in float64, as plain as it gets; TRIG is sincos or rotation.

#include "model.h"

namespace {

enum Trig { trig_sincos, trig_rotation };

#define PASTE(first, second) first##second
#define NAME_OF(prefix, word) PASTE(prefix, word)
constexpr Trig kTrig = NAME_OF(trig_, TRIG);
constexpr int kRun = 8;  // modes between two exact angles of trig_rotation

// Calls use(n, cos(n x), sin(n x)) for all modes.
template <class Use>
void for_modes(double x, int modes, const Use& use) {
  const double turn_cosine = std::cos(x);
  const double turn_sine = std::sin(x);
  double cosine = 1;
  double sine = 0;
  for (int n = 1; n <= modes; ++n) {
    if (kTrig == trig_sincos || n % kRun == 1) {
      cosine = std::cos(n * x);
      sine = std::sin(n * x);
    } else {
      const double old_cosine = cosine;
      cosine = old_cosine * turn_cosine - sine * turn_sine;
      sine = sine * turn_cosine + old_cosine * turn_sine;
    }
    use(n, cosine, sine);
  }
}

}  // namespace

extern "C" void density(const double* positions, double* nu, int ions, int modes) {
  for (int i = 0; i < 2 * modes; ++i) nu[i] = 0;
  for (int s = 0; s < ions; ++s) {
    for_modes(positions[s], modes, [&](int n, double cosine, double sine) {
      nu[2 * n - 2] += cosine;
      nu[2 * n - 1] -= sine;
    });
  }
  for (int i = 0; i < 2 * modes; ++i) nu[i] /= ions;
}

extern "C" void step(double* positions, double* velocities, double* forces, double* nu, double* amplitudes,
                     double* phases, double* pump, double dt, double pressure, double screening,
                     double coupling, double dispersion, double detuning, int ions, int modes) {
  const plasma::State state{positions, velocities, forces, nu, amplitudes, phases, pump, ions, modes};
  const plasma::Couplings couplings{dt, pressure, screening, coupling, dispersion, detuning};
  density(positions, nu, ions, modes);
  const std::vector<plasma::Complex> field = plasma::advance_waves(state, couplings);
  for (int s = 0; s < ions; ++s) {
    double force = 0;
    for_modes(positions[s], modes, [&](int n, double cosine, double sine) {
      force += field[n - 1].real() * cosine - field[n - 1].imag() * sine;
    });
    plasma::move(state, couplings, s, force);
  }
}

#include "invariants.h"
