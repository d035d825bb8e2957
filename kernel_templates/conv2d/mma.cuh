// Tensor core instructions of compute capability 8.0 on. On the CPU device the threads of a warp exchange
// their parts by shared memory, and each computes the elements that it holds on a GPU. Blocks have one
// dimension.
#pragma once

#include <cuda_fp16.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "products of 16 x 8 x 16 halves are of compute capability 8.0 on"
#endif

#ifndef __CUDA_ARCH__
// What the threads of each warp show each other.
struct Shown {
  const unsigned short* row;
  unsigned words[6];
};
__device__ inline Shown& shown_by(int lane) {
  __shared__ Shown lanes[32][32];
  return lanes[threadIdx.x / 32][lane];
}

__attribute__((noinline)) inline void load_matrices_by_lanes(unsigned* to, const half* row, bool transposed) {
  const int lane = threadIdx.x % 32;
  shown_by(lane).row = reinterpret_cast<const unsigned short*>(row);
  __syncwarp();
  for (int i = 0; i < 4; ++i) {
    unsigned parts[2];
    for (int j = 0; j < 2; ++j) {
      const int outer = lane / 4, inner = lane % 4 * 2 + j;
      parts[j] = transposed ? shown_by(i * 8 + inner).row[outer] : shown_by(i * 8 + outer).row[inner];
    }
    to[i] = parts[0] | parts[1] << 16;
  }
  __syncwarp();
}

__attribute__((noinline)) inline void multiply_add_by_lanes(float* sum, const unsigned* a, unsigned b0,
                                                            unsigned b1) {
  const int lane = threadIdx.x % 32;
  Shown& mine = shown_by(lane);
  for (int i = 0; i < 4; ++i) mine.words[i] = a[i];
  mine.words[4] = b0;
  mine.words[5] = b1;
  __syncwarp();
  for (int i = 0; i < 4; ++i) {
    const int lower = i / 2, column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k) {
      const int holder = k % 8 / 2, shift = k % 2 * 16;
      const unsigned x = shown_by(lane / 4 * 4 + holder).words[lower + k / 8 * 2] >> shift;
      const unsigned y = shown_by(column * 4 + holder).words[4 + k / 8] >> shift;
      sum[i] += __half2float(__ushort_as_half(x & 0xffff)) * __half2float(__ushort_as_half(y & 0xffff));
    }
  }
  __syncwarp();
}
#endif

// Four matrices of 8 x 8 halves from shared memory: lane 8 * i + r has the address of row r of matrix i, and
// gets in to[i] elements 2 * (lane % 4) and the next one of row lane / 4; transposed, of column lane / 4.
template <bool Transposed>
__device__ inline void load_matrices(unsigned (&to)[4], const half* row) {
#ifdef __CUDA_ARCH__
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
#else
  load_matrices_by_lanes(to, row, Transposed);
#endif
}

// sum += a b, 16 x 16 halves times 16 x 8 halves, in float32.
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  multiply_add_by_lanes(sum, a, b0, b1);
#endif
}

__device__ inline unsigned pack(float low, float high) {
  const half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// Four lanes hold four blocks of eight columns, two columns of each block a lane; afterwards lane i of the
// four holds all of block i.
__device__ inline void transpose_quad(unsigned (&x)[4]) {
  const bool odd = threadIdx.x % 2, high = threadIdx.x / 2 % 2;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned other = __shfl_xor_sync(0xffffffff, odd ? x[i] : x[i + 1], 1);
    x[i] = odd ? other : x[i];
    x[i + 1] = odd ? x[i + 1] : other;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned other = __shfl_xor_sync(0xffffffff, high ? x[i] : x[i + 2], 2);
    x[i] = high ? other : x[i];
    x[i + 2] = high ? x[i + 2] : other;
  }
}
