// Both arrays of a comparison, or the one of a range, in one pass: each thread glances at run after run, and takes the
// elements of a run one by one only where a glance does not tell all. A block leaves what it found in `partial`.
#include "survey.h"

namespace tailwave {

constexpr int kBlockThreads = 256;
constexpr int kBlocksPerSm = 3;  // enough threads to read at the speed of memory
constexpr int kWarpThreads = 32;
constexpr int kDifferenceWords = sizeof(ArrayDifference) / sizeof(unsigned long long);

template <class T>
constexpr int kRunElements = (sizeof(T) < 4 ? 16 : 32) / sizeof(T);

template <class T>
struct alignas(16) ElementRun {
  T at[kRunElements<T>];
};

template <class T>
__device__ __forceinline__ void load_run(ElementRun<T>& run, const T* from, bool in_words) {
  if (in_words) {
    run = *reinterpret_cast<const ElementRun<T>*>(from);
    return;
  }
#pragma unroll
  for (int i = 0; i < kRunElements<T>; ++i) run.at[i] = from[i];
}

template <class T>
__device__ __forceinline__ bool same_bytes(const ElementRun<T>& one, const ElementRun<T>& other) {
  constexpr int kWords = sizeof one / sizeof(unsigned long long);
  unsigned long long words[kWords], other_words[kWords], difference = 0;
  memcpy(words, &one, sizeof one);
  memcpy(other_words, &other, sizeof other);
#pragma unroll
  for (int i = 0; i < kWords; ++i) difference |= words[i] ^ other_words[i];
  return difference == 0;
}

// As words, which shuffles move. The alignment is said, since else NVRTC copies byte by byte.
__device__ __forceinline__ void copy_words(void* to, const void* from) {
  memcpy(__builtin_assume_aligned(to, 8), __builtin_assume_aligned(from, 8), sizeof(ArrayDifference));
}

__device__ __noinline__ void merge_block(const ArrayDifference& found, ArrayDifference* result) {
  ArrayDifference mine, other;
  unsigned long long words[kDifferenceWords];
  copy_words(&mine, &found);
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    copy_words(words, &mine);
#pragma unroll
    for (int i = 0; i < kDifferenceWords; ++i) words[i] = __shfl_down_sync(0xFFFFFFFFu, words[i], distance);
    copy_words(&other, words);
    if (threadIdx.x % kWarpThreads + distance < kWarpThreads) merge(mine, other);
  }
  __shared__ unsigned long long warps[kBlockThreads / kWarpThreads][kDifferenceWords];
  if (threadIdx.x % kWarpThreads == 0) copy_words(warps[threadIdx.x / kWarpThreads], &mine);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < kBlockThreads / kWarpThreads; ++warp) {
    copy_words(&other, warps[warp]);
    merge(mine, other);
  }
  *result = mine;
}

// For range, `expected` is `actual`. A block has kBlockThreads threads.
template <DifferenceNorm norm, class T>
__global__ void __launch_bounds__(kBlockThreads, kBlocksPerSm)
    compare_arrays(const T* expected, const T* actual, unsigned long long count, double tolerance, double low,
                   double high, ArrayDifference* partial) {
  constexpr bool kNeedsExpected = norm != DifferenceNorm::range;
  constexpr int kRun = kRunElements<T>;
  const DifferenceRule rule{norm, tolerance, low, high};
  const bool in_words =
      (reinterpret_cast<unsigned long long>(expected) | reinterpret_cast<unsigned long long>(actual)) % 16 == 0;
  const unsigned long long runs = count / kRun;
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * kBlockThreads;
  unsigned long long run = static_cast<unsigned long long>(blockIdx.x) * kBlockThreads + threadIdx.x;
  const bool last_thread = run == threads - 1;

  ArrayDifference found;
  Survey<norm, T> survey;
  ElementRun<T> e, a, next_e, next_a;
  if (run < runs) {
    load_run(a, actual + run * kRun, in_words);
    if (kNeedsExpected) load_run(e, expected + run * kRun, in_words);
  }
  while (run < runs) {
    const unsigned long long next = run + threads;
    if (next < runs) {
      load_run(next_a, actual + next * kRun, in_words);
      if (kNeedsExpected) load_run(next_e, expected + next * kRun, in_words);
    }
    if (!kSameBytesAreEqual<norm, T> || !same_bytes(e, a)) {
      Glance<norm, T, 1> glance;
      glance.begin(a.at);
#pragma unroll
      for (int i = 0; i < kRun; ++i) glance.add(rule, kNeedsExpected ? e.at + i : a.at + i, a.at + i);
      if (!survey.take(rule, glance, run))
        accumulate_elements<norm, T>(found, rule, {expected, actual}, run * kRun, (run + 1) * kRun);
    }
    a = next_a;
    if (kNeedsExpected) e = next_e;
    run = next;
  }
  if (last_thread) accumulate_elements<norm, T>(found, rule, {expected, actual}, runs * kRun, count);
  survey.finish(found, rule, {expected, actual}, kRun, count);
  merge_block(found, partial + blockIdx.x);
}

}  // namespace tailwave
