#pragma once

// A block's parts of the rows of a turn, of VECTORS vectors a thread and row. With STAGES those of so many turns
// are on their way into shared memory while one is computed. A thread copies what it needs itself and waits for
// that alone, so there are no barriers. Where rows do not begin at vectors each part is loaded when it is needed.
// softmax and layer_norm have the same file; who includes this includes rows.cuh before.

#include "copy.cuh"

template <class T, bool kAligned>
class StagedRows {
 public:
  // This thread's vectors are the `start`-th of a row and each BLOCK_SIZE-th after it.
  __device__ StagedRows(const T* in, int rows, int columns, int start)
      : in_(in), rows_(rows), columns_(columns), start_(start) {}

  __device__ int position(int k) const { return (k * BLOCK_SIZE + start_) * kVector<T>; }

  // One of the TOGETHER rows of a turn; beyond the last row, one without elements.
  __device__ Row<T, kAligned> row(int turn, int i) const {
    const int row = turn * TOGETHER + i;
    return TOGETHER == 1 || row < rows_ ? Row<T, kAligned>(row, rows_, columns_)
                                        : Row<T, kAligned>(0, rows_, 0);
  }

  __device__ void take(int turn, Packed<T> (&packed)[TOGETHER][VECTORS]) {
    if constexpr (kStaged) wait_groups<(STAGES > 0 ? STAGES - 1 : 0)>();
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) {
        if constexpr (kStaged)
          packed[i][k] = *place(i, k);
        else
          packed[i][k] = row(turn, i).load(in_, position(k));
      }
  }

  // At first for STAGES turns. Then after take(), and a barrier behind what was taken: its place is for the rows
  // of another turn, if there is one.
  __device__ void refill(int turn, bool exists) {
    if constexpr (kStaged) {
      if (exists)
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i)
#pragma unroll
          for (int k = 0; k < VECTORS; ++k) {
            const Row<T, kAligned> of = row(turn, i);
            const bool inside = of.has_all(position(k));
            copy_async<16>(place(i, k), inside ? in_ + of.begin + position(k) : in_, inside);
          }
      end_group();
      stage_ = stage_ + 1 < STAGES ? stage_ + 1 : 0;
    }
  }

 private:
  static constexpr bool kStaged = STAGES > 0 && kAligned&& VECTOR_BYTES == 16;

  __device__ Packed<T>* place(int i, int k) const {
    extern __shared__ uint4 stages[];
    return reinterpret_cast<Packed<T>*>(stages) + ((stage_ * TOGETHER + i) * VECTORS + k) * BLOCK_SIZE +
           threadIdx.x;
  }

  const T* in_;
  int rows_, columns_, start_;
  int stage_ = 0;
};
