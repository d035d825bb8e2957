#pragma once

// CUDA's built-in vector types with its alignments (CUDA C++ Programming Guide, "Built-in Vector Types"), and
// their make_ functions.

#define TAILWAVE_VECTORS(name, element, align2, align4)                          \
  struct name##1 {                                                               \
    element x;                                                                   \
  };                                                                             \
  struct __attribute__((aligned(align2))) name##2 {                              \
    element x, y;                                                                \
  };                                                                             \
  struct name##3 {                                                               \
    element x, y, z;                                                             \
  };                                                                             \
  struct __attribute__((aligned(align4))) name##4 {                              \
    element x, y, z, w;                                                          \
  };                                                                             \
  constexpr name##1 make_##name##1(element x) {                                  \
    return {x};                                                                  \
  }                                                                              \
  constexpr name##2 make_##name##2(element x, element y) {                       \
    return {x, y};                                                               \
  }                                                                              \
  constexpr name##3 make_##name##3(element x, element y, element z) {            \
    return {x, y, z};                                                            \
  }                                                                              \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) { \
    return {x, y, z, w};                                                         \
  }

TAILWAVE_VECTORS(char, signed char, 2, 4)
TAILWAVE_VECTORS(uchar, unsigned char, 2, 4)
TAILWAVE_VECTORS(short, short, 4, 8)
TAILWAVE_VECTORS(ushort, unsigned short, 4, 8)
TAILWAVE_VECTORS(int, int, 8, 16)
TAILWAVE_VECTORS(uint, unsigned, 8, 16)
TAILWAVE_VECTORS(long, long, 16, 16)
TAILWAVE_VECTORS(ulong, unsigned long, 16, 16)
TAILWAVE_VECTORS(longlong, long long, 16, 16)
TAILWAVE_VECTORS(ulonglong, unsigned long long, 16, 16)
TAILWAVE_VECTORS(float, float, 8, 16)
TAILWAVE_VECTORS(double, double, 16, 16)

#undef TAILWAVE_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
