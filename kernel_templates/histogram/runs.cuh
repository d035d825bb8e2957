#pragma once

#include "keys.cuh"

// Keys of one bin that follow one another are counted in a register, and added together.
template <class Add>
struct Runs {
  Add add;
  int bin = 0;
  unsigned count = 0u;

  __device__ void operator()(int next, bool is_there) {
    if (!is_there) return;
    if (!RUNS) {
      add(next, 1u);
      return;
    }
    if (next != bin && count > 0u) {
      add(bin, count);
      count = 0u;
    }
    bin = next;
    ++count;
  }
  __device__ void end() {
    if (count > 0u) add(bin, count);
    count = 0u;
  }
};

// Visits all keys of this block and calls `add(bin, count)`, for runs of them with RUNS.
template <class Add>
__device__ void count_all(const unsigned* keys, int n, int bins, Add add) {
  Runs<Add> runs{add};
  visit_all(keys, n, bins, [&](int bin, bool is_there) { runs(bin, is_there); });
  runs.end();
}
