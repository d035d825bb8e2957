// Attraction and repulsion on one core in float32, as plain as it gets. Body: x y z mass; velocity: x y z.

#include <cmath>

extern "C" void step(float* bodies, float* velocities, float g, float h, float softening, float damp,
                     float dt, int n) {
  for (int i = 0; i < n; ++i) {
    const float* body = bodies + 4 * i;
    float sum_x = 0;
    float sum_y = 0;
    float sum_z = 0;
    for (int j = 0; j < n; ++j) {
      const float* other = bodies + 4 * j;
      const float dx = other[0] - body[0];
      const float dy = other[1] - body[1];
      const float dz = other[2] - body[2];
      const float root = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float square = root * root;
      const float weight = other[3] * root * square * (g - h * square);
      sum_x += dx * weight;
      sum_y += dy * weight;
      sum_z += dz * weight;
    }
    float* velocity = velocities + 3 * i;
    const float friction = damp / body[3];
    velocity[0] += dt * (sum_x - friction * velocity[0]);
    velocity[1] += dt * (sum_y - friction * velocity[1]);
    velocity[2] += dt * (sum_z - friction * velocity[2]);
  }
  for (int i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) bodies[4 * i + axis] += dt * velocities[3 * i + axis];
}
