// The sort by cub::DeviceRadixSort::SortKeys over the same bits, as CUB comes with the toolkit: it is stable, too, and chooses
// digits and passes itself.
#include <cub/device/device_radix_sort.cuh>

#include "library.cuh"

namespace {

std::size_t bytes = 0;  // of the workspace, which CUB has asked for

void sort_in(void* workspace, unsigned* out, const unsigned* in, int n, int first_bit, int end_bit) {
  check(cub::DeviceRadixSort::SortKeys(workspace, bytes, in, out, n, first_bit, end_bit, timed_stream()));
}

}  // namespace

// Without a workspace CUB says how much it needs.
extern "C" void plan(unsigned* out, const unsigned* in, std::int64_t workspace_bytes, int n, int first_bit,
                     int end_bit) {
  sort_in(nullptr, out, in, n, first_bit, end_bit);
  bytes = fitting(bytes, workspace_bytes);
}

extern "C" void sort(unsigned* out, const unsigned* in, void* workspace, int n, int first_bit, int end_bit) {
  sort_in(workspace, out, in, n, first_bit, end_bit);
}
