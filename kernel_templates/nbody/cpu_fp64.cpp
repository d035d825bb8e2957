// All-pairs softened gravity in float64 on all cores: the reference. `bodies` itself stays float32, x y z vx vy vz, and
// is rounded once a step. Several bodies are summed side by side, which fills vector registers without reordering any
// sum. Few standard headers, since every first run waits for this to be compiled.

#include <cmath>
#include <thread>
#include <vector>

namespace {

constexpr double kSoftening = 1e-9;
constexpr int kGroup = 16;

struct Positions {
  std::vector<double> x, y, z;
};

Positions positions_of(const float* bodies, int n) {
  // Filled up to whole groups.
  const int size = (n + kGroup - 1) / kGroup * kGroup;
  Positions positions{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size)};
  for (int i = 0; i < n; ++i) {
    positions.x[i] = bodies[6 * i];
    positions.y[i] = bodies[6 * i + 1];
    positions.z[i] = bodies[6 * i + 2];
  }
  return positions;
}

// Accelerates and moves the bodies of one group.
void step_group(const Positions& positions, int first, float* bodies, double dt, int n) {
  double x[kGroup], y[kGroup], z[kGroup];
  double sum_x[kGroup] = {}, sum_y[kGroup] = {}, sum_z[kGroup] = {};
  for (int k = 0; k < kGroup; ++k) {
    x[k] = positions.x[first + k];
    y[k] = positions.y[first + k];
    z[k] = positions.z[first + k];
  }
  for (int j = 0; j < n; ++j) {
    const double other_x = positions.x[j];
    const double other_y = positions.y[j];
    const double other_z = positions.z[j];
    for (int k = 0; k < kGroup; ++k) {
      const double dx = other_x - x[k];
      const double dy = other_y - y[k];
      const double dz = other_z - z[k];
      const double square = dx * dx + dy * dy + dz * dz + kSoftening;
      const double weight = 1.0 / (square * std::sqrt(square));
      sum_x[k] += dx * weight;
      sum_y[k] += dy * weight;
      sum_z[k] += dz * weight;
    }
  }
  for (int k = 0; k < kGroup && first + k < n; ++k) {
    float* body = bodies + 6 * (first + k);
    const double velocity_x = body[3] + dt * sum_x[k];
    const double velocity_y = body[4] + dt * sum_y[k];
    const double velocity_z = body[5] + dt * sum_z[k];
    body[0] = static_cast<float>(x[k] + dt * velocity_x);
    body[1] = static_cast<float>(y[k] + dt * velocity_y);
    body[2] = static_cast<float>(z[k] + dt * velocity_z);
    body[3] = static_cast<float>(velocity_x);
    body[4] = static_cast<float>(velocity_y);
    body[5] = static_cast<float>(velocity_z);
  }
}

}  // namespace

extern "C" void step(float* bodies, float dt, int n) {
  const Positions positions = positions_of(bodies, n);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = cores > 0 ? cores : 1;
  const auto work = [&](int thread) {
    for (int first = thread * kGroup; first < n; first += threads * kGroup)
      step_group(positions, first, bodies, dt, n);
  };
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}
