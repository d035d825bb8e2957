// All-pairs softened gravity on one core in float32, as plain as it gets. Body: x y z vx vy vz.

#include <cmath>

namespace {

constexpr float kSoftening = 1e-9f;

}  // namespace

extern "C" void step(float* bodies, float dt, int n) {
  for (int i = 0; i < n; ++i) {
    float* body = bodies + 6 * i;
    float sum_x = 0;
    float sum_y = 0;
    float sum_z = 0;
    for (int j = 0; j < n; ++j) {
      const float dx = bodies[6 * j] - body[0];
      const float dy = bodies[6 * j + 1] - body[1];
      const float dz = bodies[6 * j + 2] - body[2];
      const float root = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + kSoftening);
      const float weight = root * root * root;
      sum_x += dx * weight;
      sum_y += dy * weight;
      sum_z += dz * weight;
    }
    body[3] += dt * sum_x;
    body[4] += dt * sum_y;
    body[5] += dt * sum_z;
  }
  for (int i = 0; i < n; ++i) {
    float* body = bodies + 6 * i;
    body[0] += dt * body[3];
    body[1] += dt * body[4];
    body[2] += dt * body[5];
  }
}
