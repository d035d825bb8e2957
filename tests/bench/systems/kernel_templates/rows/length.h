#pragma once

// How long a row is, by a number from 0 to 1: in float, so that the CPU and the GPU agree.
#ifdef __CUDACC__
__device__
#endif
    inline int
    row_length(float chance, int shape, int longest) {
  const float most = (float)longest;
  switch (shape) {
    case 0:
      return longest;
    case 1:
      return 1 + (int)(most * chance);
    case 2:
      return 1 + (int)(most * 0.25f * chance) * (chance > 0.99f ? 16 : 1);
    case 3:
      return chance < 0.75f ? 0 : longest;
    default:
      return 1 + longest * 128 / (1064 - (int)(chance * 1024.0f));
  }
}
