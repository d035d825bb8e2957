// An element a thread, without shared memory: either the reads of a warp lie side by side or its writes,
// never both.

enum SideBySide { reads, writes };

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    transpose(float* out, const float* in, int rows, int columns) {
  constexpr bool kReads = SIDE_BY_SIDE == reads;
  // A block has LINES lines of BLOCK_SIZE / LINES elements, along the input or along the output.
  constexpr int kLength = BLOCK_SIZE / LINES;
  const int length = kReads ? columns : rows;
  const int lines = kReads ? rows : columns;
  const int parts = (length + kLength - 1) / kLength;
  const int along = static_cast<int>(blockIdx.x % parts) * kLength + static_cast<int>(threadIdx.x) % kLength;
  const int line = static_cast<int>(blockIdx.x / parts) * LINES + static_cast<int>(threadIdx.x) / kLength;
  if (along >= length || line >= lines) return;
  const size_t by_line = static_cast<size_t>(line) * static_cast<size_t>(length) + along;
  const size_t across = static_cast<size_t>(along) * static_cast<size_t>(lines) + line;
  STORE(out + (kReads ? across : by_line), LOAD(in + (kReads ? by_line : across)));
}
