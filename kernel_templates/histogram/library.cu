// The histogram by cub::DeviceHistogram::HistogramEven, as CUB comes with the toolkit. It knows even bins between two
// levels, so it gets keys of a type whose value is the remainder: 0 to BINS - 1, in BINS bins.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_histogram.cuh>

#include "library.cuh"

namespace {

std::size_t bytes = 0;  // of the workspace, which CUB has asked for

// A pointer to them has CUB load several at once. The number of bins is a number in the code.
struct Key {
  unsigned key;
  Key() = default;
  __host__ __device__ explicit Key(int bin) : key(bin) {}  // CUB makes keys of bins, too
  __host__ __device__ operator unsigned() const { return key % BINS_IN_CODE; }
};

struct RemainderAt {
  const unsigned* keys;
  __host__ __device__ unsigned operator()(int place) const { return keys[place] % BINS_IN_CODE; }
};

auto samples_of(const unsigned* keys) {
  if constexpr (BY_POINTER)
    return reinterpret_cast<const Key*>(keys);
  else
    return thrust::make_transform_iterator(thrust::make_counting_iterator(0), RemainderAt{keys});
}

void count_in(void* workspace, unsigned* counts, const unsigned* keys, int n) {
  const LEVEL first = 0, end = BINS_IN_CODE;
  check(cub::DeviceHistogram::HistogramEven(workspace, bytes, samples_of(keys), counts, BINS_IN_CODE + 1,
                                            first, end, n, timed_stream()));
}

}  // namespace

// Without a workspace CUB says how much it needs.
extern "C" void plan(unsigned* counts, const unsigned* keys, std::int64_t workspace_bytes, int n) {
  count_in(nullptr, counts, keys, n);
  bytes = fitting(bytes, workspace_bytes);
}

extern "C" void histogram(unsigned* counts, const unsigned* keys, void* workspace, int n) {
  count_in(workspace, counts, keys, n);
}
