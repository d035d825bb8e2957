// Attraction and repulsion in float64 on all cores: the reference, with SOFTENED or without. The arrays themselves stay float32 and are rounded
// once a step. Several bodies are summed side by side, which fills vector registers without reordering any sum. Few
// standard headers, since every first run waits for this to be compiled.

#include <cmath>
#include <thread>
#include <vector>

namespace {

constexpr int kGroup = 16;

struct Problem {
  float* bodies;      // x y z mass
  float* velocities;  // x y z
  double g, h, softening, damp, dt;
  int n;
};

struct Bodies {
  std::vector<double> x, y, z, mass;
};

Bodies bodies_of(const Problem& problem) {
  // Filled up to whole groups.
  const int size = (problem.n + kGroup - 1) / kGroup * kGroup;
  Bodies bodies{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size),
                std::vector<double>(size)};
  for (int i = 0; i < problem.n; ++i) {
    const float* body = problem.bodies + 4 * i;
    bodies.x[i] = body[0];
    bodies.y[i] = body[1];
    bodies.z[i] = body[2];
    bodies.mass[i] = body[3];
  }
  return bodies;
}

// Velocity and position along one axis.
void move(const Problem& problem, int body, int axis, double acceleration) {
  float& position = problem.bodies[4 * body + axis];
  float& velocity = problem.velocities[3 * body + axis];
  const double mass = problem.bodies[4 * body + 3];
  const double moved = velocity + problem.dt * (acceleration - problem.damp * velocity / mass);
  position = static_cast<float>(position + problem.dt * moved);
  velocity = static_cast<float>(moved);
}

void step_group(const Problem& problem, const Bodies& bodies, int first) {
  const double g = problem.g;
  const double h = problem.h;
  const double softening = SOFTENED ? problem.softening : 0;
  double x[kGroup], y[kGroup], z[kGroup];
  double sum_x[kGroup] = {}, sum_y[kGroup] = {}, sum_z[kGroup] = {};
  for (int k = 0; k < kGroup; ++k) {
    x[k] = bodies.x[first + k];
    y[k] = bodies.y[first + k];
    z[k] = bodies.z[first + k];
  }
  for (int j = 0; j < problem.n; ++j) {
    const double other_x = bodies.x[j];
    const double other_y = bodies.y[j];
    const double other_z = bodies.z[j];
    const double mass = bodies.mass[j];
    for (int k = 0; k < kGroup; ++k) {
      const double dx = other_x - x[k];
      const double dy = other_y - y[k];
      const double dz = other_z - z[k];
      const double square = dx * dx + dy * dy + dz * dz + softening;
      // (g / square - h / square^2) / sqrt(square), with one division
      const double pull = mass * (g * square - h) / (square * square * std::sqrt(square));
      const double weight = j == first + k ? 0 : pull;  // no body pulls at itself
      sum_x[k] += dx * weight;
      sum_y[k] += dy * weight;
      sum_z[k] += dz * weight;
    }
  }
  for (int k = 0; k < kGroup && first + k < problem.n; ++k) {
    move(problem, first + k, 0, sum_x[k]);
    move(problem, first + k, 1, sum_y[k]);
    move(problem, first + k, 2, sum_z[k]);
  }
}

}  // namespace

extern "C" void step(float* bodies, float* velocities, float g, float h, float softening, float damp,
                     float dt, int n) {
  const Problem problem{bodies, velocities, g, h, softening, damp, dt, n};
  const Bodies before = bodies_of(problem);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = cores > 0 ? cores : 1;
  const auto work = [&](int thread) {
    for (int first = thread * kGroup; first < n; first += threads * kGroup)
      step_group(problem, before, first);
  };
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}
