// What is right: particles sorted by cells, O(n), on one core, in the arithmetic of the variant that is judged. `rounded` is
// that of our variants. In the others the particles of the nine cells are met in the order of their indices, so that sums
// have the bits of all pairs; `contracted` is what a compiler makes of them that may fuse products and sums, which is
// its choice: here none are.

#include <algorithm>
#include <vector>

#include "host.h"
#include "host_cells.h"
#include "printed.h"

#define PASTE(first, second) first##second
#define NAME_OF(prefix, word) PASTE(prefix, word)

namespace {

enum Arithmetic { arithmetic_rounded, arithmetic_plain, arithmetic_contracted };
constexpr bool kRounded = NAME_OF(arithmetic_, ARITHMETIC) == arithmetic_rounded;

Particle assembled(const Vector& position, const Vector& velocity, const Vector& acceleration) {
  return {position.x, position.y, velocity.x, velocity.y, acceleration.x, acceleration.y};
}

Vector rounded_sum(const Cells& cells, const Vector* positions, int i) {
  Vector sum{0, 0};
  for_each_near(cells, positions, i, [&](int j) { add_repulsion(positions[i], positions[j], sum); });
  return sum;
}

Vector plain_sum(const Cells& cells, const Vector* positions, int i) {
  std::vector<int> near;
  for_each_near(cells, positions, i, [&](int j) { near.push_back(j); });
  std::sort(near.begin(), near.end());
  Particle particle = assembled(positions[i], {0, 0}, {0, 0});
  for (int j : near) apply_force(particle, assembled(positions[j], {0, 0}, {0, 0}));
  return {particle.ax, particle.ay};
}

}  // namespace

extern "C" void accelerate(const Vector* positions, Vector* accelerations, int n) {
  const Cells cells = sorted_by_cell(positions, n);
  for (int i : cells.particles)
    accelerations[i] = kRounded ? rounded_sum(cells, positions, i) : plain_sum(cells, positions, i);
}

extern "C" void move_all(Vector* positions, Vector* velocities, const Vector* accelerations, int n) {
  if (kRounded) return move(positions, velocities, accelerations, n);
  const double size = side_of(n);
  for (int i = 0; i < n; ++i) {
    Particle particle = assembled(positions[i], velocities[i], accelerations[i]);
    move_one(particle, size);
    positions[i] = {particle.x, particle.y};
    velocities[i] = {particle.vx, particle.vy};
  }
}
