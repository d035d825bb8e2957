#pragma once

// What all variants share, on the host and on a GPU: the constants, a pair's force, a move and the start. Only IEEE
// operations and written-out fma, so that with contraction off every machine computes the same bits.

#ifdef __CUDACC__
#define ANYWHERE __host__ __device__
#else
#include <math.h>
#define ANYWHERE
#endif

constexpr double kDensity = 0.0005;
constexpr double kMass = 0.01;
constexpr double kCutoff = 0.01;
constexpr double kMinDistance = kCutoff / 100;
constexpr double kDt = 0.0005;

struct alignas(16) Vector {
  double x, y;
};

ANYWHERE inline double side_of(int n) {
  return sqrt(kDensity * n);
}

ANYWHERE inline double squared_distance(const Vector& a, const Vector& b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  return fma(dx, dx, dy * dy);
}

// To a multiple of 2^-32. Sums of such numbers are exact up to 2^20, so that their order does not matter.
ANYWHERE inline double rounded(double acceleration) {
  constexpr double bias = 1.5 * 1048576;
  return (acceleration + bias) - bias;
}

// Adds the acceleration of the particle at `position` by the one at `other`: 0 by itself and by those beyond the
// cutoff.
ANYWHERE inline void add_repulsion(const Vector& position, const Vector& other, Vector& sum) {
  const double dx = other.x - position.x;
  const double dy = other.y - position.y;
  const double square = fma(dx, dx, dy * dy);
  if (square > kCutoff * kCutoff) return;
  const double bounded = square > kMinDistance * kMinDistance ? square : kMinDistance * kMinDistance;
  const double r = sqrt(bounded);
  // (1 - cutoff / r) / r^2 / mass, with one division
  const double weight = (r - kCutoff) / (r * bounded * kMass);
  sum.x += rounded(weight * dx);
  sum.y += rounded(weight * dy);
}

// Only a particle from a pair far closer than any valid one crosses the box more than once in a step.
ANYWHERE inline void reflect(double& x, double& velocity, double side) {
  for (int wall = 0; wall < 1000 && (x < 0 || x > side); ++wall) {
    x = x < 0 ? -x : 2 * side - x;
    velocity = -velocity;
  }
}

ANYWHERE inline void move_particle(Vector& position, Vector& velocity, const Vector& acceleration,
                                   double side) {
  velocity.x = fma(acceleration.x, kDt, velocity.x);
  velocity.y = fma(acceleration.y, kDt, velocity.y);
  position.x = fma(velocity.x, kDt, position.x);
  position.y = fma(velocity.y, kDt, position.y);
  reflect(position.x, velocity.x, side);
  reflect(position.y, velocity.y, side);
}

// A bijection of 64-bit numbers that mixes all bits: odd multipliers and shifted exclusive ors.
ANYWHERE inline unsigned long long mixed(unsigned long long x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
  x = (x ^ (x >> 29)) * 0xa0761d6478bd642full;
  return x ^ (x >> 32);
}

// The `counter`-th random number of a particle, in [0, 1).
ANYWHERE inline double uniform(int particle, int counter) {
  const unsigned long long key = (static_cast<unsigned long long>(particle) << 8) + counter + 1;
  return static_cast<double>(mixed(mixed(key)) >> 11) * (1.0 / 9007199254740992.0);
}

// A permutation of 0 .. n - 1 without a table: a Feistel network over the next power of 4, applied until the result is
// below n.
ANYWHERE inline int shuffled(int i, int n) {
  int half_bits = 1;
  while ((1ll << (2 * half_bits)) < n) ++half_bits;
  const unsigned mask = (1u << half_bits) - 1;
  unsigned value = i;
  do {
    unsigned left = value >> half_bits;
    unsigned right = value & mask;
    for (unsigned round = 0; round < 4; ++round) {
      const unsigned old_right = right;
      right = left ^ (static_cast<unsigned>(mixed(right * 4ull + round + 1) >> 20) & mask);
      left = old_right;
    }
    value = (left << half_bits) | right;
  } while (value >= static_cast<unsigned>(n));
  return static_cast<int>(value);
}

// Along one axis: grid line `line` of `lines`. With a squeeze the outermost lines lie within a step of the walls, and
// each of the others moves towards the one that it forms a pair with.
ANYWHERE inline double coordinate(int line, int lines, double side, double squeeze, double random) {
  const double on_grid = side * (1 + line) / (1 + lines);
  if (squeeze == 0) return on_grid;
  if (line == 0) return kDt * random;
  if (line == lines - 1) return side - kDt * random;
  const double direction = line % 2 == 0 ? -1.0 : 1.0;
  return on_grid + direction * squeeze * (0.4 + 0.2 * random) * side / (1 + lines);
}

// Particle i of the start that README.md describes.
ANYWHERE inline void place_particle(int i, int n, double squeeze, Vector& position, Vector& velocity) {
  const double side = side_of(n);
  const int columns = static_cast<int>(ceil(sqrt(static_cast<double>(n))));
  const int rows = (n + columns - 1) / columns;
  const int place = shuffled(i, n);
  position.x = coordinate(place % columns, columns, side, squeeze, uniform(i, 2));
  position.y = coordinate(place / columns, rows, side, squeeze, uniform(i, 3));
  velocity.x = 2 * uniform(i, 0) - 1;
  velocity.y = 2 * uniform(i, 1) - 1;
}
