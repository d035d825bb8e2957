// A list of the particles within RADIUS cutoffs for each particle, at most LIST_LENGTH of them, on one core.

#include "host.h"

extern "C" void build_list(const Vector* positions, int* list, int* lengths, int* overflow, int n) {
  constexpr double radius = RADIUS * kCutoff;
  for (int i = 0; i < n; ++i) {
    int length = 0;
    for (int j = 0; j < n; ++j) {
      if (j == i || squared_distance(positions[i], positions[j]) > radius * radius) continue;
      if (length < LIST_LENGTH)
        list[static_cast<long long>(i) * LIST_LENGTH + length++] = j;
      else
        *overflow = 1;
    }
    lengths[i] = length;
  }
}

extern "C" void accelerate(const Vector* positions, Vector* accelerations, const int* list,
                           const int* lengths, int n) {
  for (int i = 0; i < n; ++i) {
    Vector sum{0, 0};
    for (int k = 0; k < lengths[i]; ++k)
      add_repulsion(positions[i], positions[list[static_cast<long long>(i) * LIST_LENGTH + k]], sum);
    accelerations[i] = sum;
  }
}
