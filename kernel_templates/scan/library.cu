// The scan by cub::DeviceScan, as CUB comes with the toolkit: its tile, its loads, its look-back.
#include <cub/device/device_scan.cuh>

#include "library.cuh"

namespace {

std::size_t bytes = 0;  // of the workspace, which CUB has asked for

void scan_in(void* workspace, unsigned* out, const unsigned* in, int n, int exclusive) {
  if (exclusive != 0)
    check(cub::DeviceScan::ExclusiveSum(workspace, bytes, in, out, n, timed_stream()));
  else
    check(cub::DeviceScan::InclusiveSum(workspace, bytes, in, out, n, timed_stream()));
}

}  // namespace

// Without a workspace CUB says how much it needs.
extern "C" void plan(unsigned* out, const unsigned* in, std::int64_t workspace_bytes, int n, int exclusive) {
  scan_in(nullptr, out, in, n, exclusive);
  bytes = fitting(bytes, workspace_bytes);
}

extern "C" void scan(unsigned* out, const unsigned* in, void* workspace, int n, int exclusive) {
  scan_in(workspace, out, in, n, exclusive);
}
