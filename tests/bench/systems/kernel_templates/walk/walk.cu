// Walks over `entries` places, a power of two. A step depends on the one before, so that a walk takes as long as its
// steps one after the other: as long as memory takes to answer, or as long as a step takes to compute.

namespace {

__device__ __forceinline__ unsigned step(unsigned place, int entries, int rounds) {
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
    place ^= place >> 15;
    place *= 0x9E3779B1u;
  }
  return (place ^ place >> 16) & (static_cast<unsigned>(entries) - 1);
}

}  // namespace

extern "C" __global__ void make_table(unsigned* table, int entries, int rounds) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place < entries) table[place] = step(place, entries, rounds);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    walk_table(const unsigned* starts, const unsigned* table, unsigned* ends, int n, int hops, int entries) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  unsigned place = starts[i] & (static_cast<unsigned>(entries) - 1);
  for (int hop = 0; hop < hops; ++hop) place = table[place];
  ends[i] = place;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    walk_computed(const unsigned* starts, unsigned* ends, int n, int hops, int entries, int rounds) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  unsigned place = starts[i] & (static_cast<unsigned>(entries) - 1);
  for (int hop = 0; hop < hops; ++hop) place = step(place, entries, rounds);
  ends[i] = place;
}
