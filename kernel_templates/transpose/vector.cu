// A tile a block, a square of VECTOR x VECTOR elements a thread and turn: it is loaded in vectors, turned in
// registers, put into shared memory in vectors and stored in vectors. Vectors in shared memory are swizzled.

#include <cstring>

#include "tiles.cuh"

constexpr int kSquaresDown = TILE_ROWS / VECTOR;
constexpr int kSquaresAcross = TILE_COLUMNS / VECTOR;
constexpr int kItems = kSquaresDown * kSquaresAcross / BLOCK_SIZE;

template <int count>
struct VectorOf;
template <>
struct VectorOf<2> {
  using Type = float2;
};
template <>
struct VectorOf<4> {
  using Type = float4;
};
using Vector = VectorOf<VECTOR>::Type;

struct alignas(4 * VECTOR) Packed {
  float element[VECTOR];
};

extern __shared__ float4 kept[];

// Of the vector in line `column` of the turned tile with the rows from VECTOR * square on.
__device__ inline int slot(int column, int square) {
  return column * kSquaresDown + (square ^ (column / VECTOR % kSquaresDown));
}

// VECTOR elements of a line of `length` from `position` on. kWhole: all lines are multiples of the vector.
template <bool kWhole>
__device__ Packed load(const float* line, int position, int length) {
  Packed packed = {};
  if (kWhole) {
    if (position < length) {
      const Vector vector = LOAD(reinterpret_cast<const Vector*>(line + position));
      memcpy(&packed, &vector, sizeof vector);
    }
    return packed;
  }
#pragma unroll
  for (int e = 0; e < VECTOR; ++e)
    if (position + e < length) packed.element[e] = LOAD(line + position + e);
  return packed;
}

template <bool kWhole>
__device__ void store(float* line, int position, int length, const Packed& packed) {
  if (kWhole) {
    if (position >= length) return;
    Vector vector;
    memcpy(&vector, &packed, sizeof vector);
    STORE(reinterpret_cast<Vector*>(line + position), vector);
    return;
  }
#pragma unroll
  for (int e = 0; e < VECTOR; ++e)
    if (position + e < length) STORE(line + position + e, packed.element[e]);
}

template <bool kWholeRows, bool kWholeColumns>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    transpose(float* out, const float* in, int rows, int columns) {
  Packed* const turned = reinterpret_cast<Packed*>(kept);
  const int thread = threadIdx.x;
  const unsigned tiles = Tile::count(rows, columns);
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile(t, rows, columns);
    Packed square[kItems][VECTOR];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int row = tile.row + (thread + k * BLOCK_SIZE) / kSquaresAcross * VECTOR;
      const int column = tile.column + (thread + k * BLOCK_SIZE) % kSquaresAcross * VECTOR;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j)
        square[k][j] =
            row + j < rows ? load<kWholeRows>(in + place(row + j, 0, columns), column, columns) : Packed{};
    }
    if (t != blockIdx.x) __syncthreads();  // the tile before has been read
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int down = (thread + k * BLOCK_SIZE) / kSquaresAcross;
      const int across = (thread + k * BLOCK_SIZE) % kSquaresAcross;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        Packed line;
#pragma unroll
        for (int e = 0; e < VECTOR; ++e) line.element[e] = square[k][e].element[j];
        turned[slot(across * VECTOR + j, down)] = line;
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems * VECTOR; ++k) {
      const int column = (thread + k * BLOCK_SIZE) / kSquaresDown;
      const int down = (thread + k * BLOCK_SIZE) % kSquaresDown;
      if (tile.column + column < columns)
        store<kWholeColumns>(out + place(tile.column + column, 0, rows), tile.row + down * VECTOR, rows,
                             turned[slot(column, down)]);
    }
  }
}
