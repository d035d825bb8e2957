// One step in float64 on all cores: the reference. An angle n x is its rounded product and what rounding took away, so
// that sines and cosines are right to their last digit. Cores share out modes, then ions, and no sum depends on how
// many there are. Without SINES it has what the kernels have in place of sines and cosines.

#include <thread>

#include "model.h"

namespace {

plasma::Complex exp_of(int n, double x) {
  if (!SINES) return {n * x / 4096, 1 - n * x / 4096};
  const double angle = n * x;
  const double rest = std::fma(static_cast<double>(n), x, -angle);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  return {cosine - rest * sine, sine + rest * cosine};
}

// Calls work(i) for 0 <= i < count.
template <class Work>
void on_all_cores(int count, const Work& work) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = cores > 0 ? cores : 1;
  const auto share = [&](int thread) {
    for (int i = thread; i < count; i += threads) work(i);
  };
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(share, thread);
  share(0);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace

extern "C" void density(const double* positions, double* nu, int ions, int modes) {
  on_all_cores(modes, [&](int i) {
    plasma::Complex sum = 0;
    for (int s = 0; s < ions; ++s) sum += std::conj(exp_of(i + 1, positions[s]));
    nu[2 * i] = sum.real() / ions;
    nu[2 * i + 1] = sum.imag() / ions;
  });
}

extern "C" void step(double* positions, double* velocities, double* forces, double* nu, double* amplitudes,
                     double* phases, double* pump, double dt, double pressure, double screening,
                     double coupling, double dispersion, double detuning, int ions, int modes) {
  const plasma::State state{positions, velocities, forces, nu, amplitudes, phases, pump, ions, modes};
  const plasma::Couplings couplings{dt, pressure, screening, coupling, dispersion, detuning};
  density(positions, nu, ions, modes);
  const std::vector<plasma::Complex> field = plasma::advance_waves(state, couplings);
  on_all_cores(ions, [&](int s) {
    double force = 0;
    for (int i = 0; i < modes; ++i) {
      const plasma::Complex turned = exp_of(i + 1, positions[s]);
      force += field[i].real() * turned.real() - field[i].imag() * turned.imag();
    }
    plasma::move(state, couplings, s, force);
  });
}

#include "invariants.h"
