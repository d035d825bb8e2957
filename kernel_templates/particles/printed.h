#pragma once

// What the study's programs have in common, on the host and on a GPU: a particle in one struct, its acceleration added up
// there, plain double arithmetic in the order in which the program says it.

#include "particles.h"

struct Particle {
  double x, y, vx, vy, ax, ay;
};
static_assert(sizeof(Particle) == 48, "six doubles and nothing between them");

// A particle meets itself too: the distance, 0, is raised to the least one, and times 0 nothing is added.
ANYWHERE inline void apply_force(Particle& particle, const Particle& other) {
  const double dx = other.x - particle.x;
  const double dy = other.y - particle.y;
  double square = dx * dx + dy * dy;
  if (square > kCutoff * kCutoff) return;
  square = square > kMinDistance * kMinDistance ? square : kMinDistance * kMinDistance;
  const double r = sqrt(square);
  const double weight = (1 - kCutoff / r) / square / kMass;
  particle.ax += weight * dx;
  particle.ay += weight * dy;
}

ANYWHERE inline void move_one(Particle& particle, double size) {
  particle.vx += particle.ax * kDt;
  particle.vy += particle.ay * kDt;
  particle.x += particle.vx * kDt;
  particle.y += particle.vy * kDt;
  while (particle.x < 0 || particle.x > size) {
    particle.x = particle.x < 0 ? -particle.x : 2 * size - particle.x;
    particle.vx = -particle.vx;
  }
  while (particle.y < 0 || particle.y > size) {
    particle.y = particle.y < 0 ? -particle.y : 2 * size - particle.y;
    particle.vy = -particle.vy;
  }
}

ANYWHERE inline double square_between(const Particle& a, const Particle& b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  return dx * dx + dy * dy;
}

// Particle i of the start.
ANYWHERE inline Particle placed(int i, int n, double squeeze) {
  Vector position, velocity;
  place_particle(i, n, squeeze, position, velocity);
  return {position.x, position.y, velocity.x, velocity.y, 0, 0};
}
