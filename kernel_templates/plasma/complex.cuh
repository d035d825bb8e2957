#pragma once

// Complex numbers as double2: x is the real part, y the imaginary one.

__device__ inline double2 complex(double real, double imaginary) {
  return make_double2(real, imaginary);
}

__device__ inline double2 plus(double2 a, double2 b) {
  return complex(a.x + b.x, a.y + b.y);
}

__device__ inline double2 times(double2 a, double2 b) {
  return complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// conj(a) b
__device__ inline double2 conjugate_times(double2 a, double2 b) {
  return complex(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

__device__ inline double2 scaled(double factor, double2 a) {
  return complex(factor * a.x, factor * a.y);
}

// -i a
__device__ inline double2 minus_i_times(double2 a) {
  return complex(a.y, -a.x);
}

__device__ inline double square(double2 a) {
  return a.x * a.x + a.y * a.y;
}

__device__ inline double2 wave_of(double amplitude, double phase) {
  double sine, cosine;
  sincos(phase, &sine, &cosine);
  return complex(amplitude * cosine, amplitude * sine);
}
