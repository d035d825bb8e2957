#pragma once

// A block's parts of rows, of VECTORS vectors a thread. With STAGES those of so many rows are on their way into
// shared memory while one is computed. A thread copies what it needs itself and waits for that alone, so
// there are no barriers. Where rows do not begin at vectors each part is loaded when it is needed.
// softmax and layer_norm have the same file; who includes this includes rows.cuh before.

#include "copy.cuh"

template <class T, bool kAligned>
class StagedRows {
 public:
  // This thread's vectors are the `start`-th of a row and each BLOCK_SIZE-th after it. The rows are `row`
  // and each `step`-th after it.
  __device__ StagedRows(const T* in, int rows, int columns, int start, int row, int step)
      : in_(in), rows_(rows), columns_(columns), start_(start), next_(row), step_(step) {
    if constexpr (kStaged)
      for (int stage = 0; stage < STAGES; ++stage) refill(stage);
  }

  __device__ int position(int k) const { return (k * BLOCK_SIZE + start_) * kVector<T>; }

  __device__ void take(const Row<T, kAligned>& row, Packed<T> (&packed)[VECTORS]) {
    if constexpr (kStaged) {
      wait_groups<(STAGES > 0 ? STAGES - 1 : 0)>();
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) packed[k] = *place(stage_, k);
    } else {
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in_, position(k));
    }
  }

  // After take(), and a barrier behind what was taken: its place is for another row.
  __device__ void refill() {
    if constexpr (kStaged) {
      refill(stage_);
      stage_ = stage_ + 1 < STAGES ? stage_ + 1 : 0;
    }
  }

 private:
  static constexpr bool kStaged = STAGES > 0 && kAligned&& VECTOR_BYTES == 16;

  __device__ static Packed<T>* place(int stage, int k) {
    extern __shared__ uint4 stages[];
    return reinterpret_cast<Packed<T>*>(stages) + (stage * VECTORS + k) * BLOCK_SIZE + threadIdx.x;
  }

  __device__ void refill(int stage) {
    if (next_ < rows_) {
      const Row<T, kAligned> row(next_, rows_, columns_);
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) {
        const bool inside = row.has_all(position(k));
        copy_async<16>(place(stage, k), inside ? in_ + row.begin + position(k) : in_, inside);
      }
    }
    end_group();
    next_ += step_;
  }

  const T* in_;
  int rows_, columns_, start_, next_, step_;
  int stage_ = 0;
};
