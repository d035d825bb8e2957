// Rows of channels, of images and then of filters, with zeros behind each to the next multiple of VECTOR.
#pragma once

#include <cuda_fp16.h>

__global__ void pad_channels(const half* __restrict__ image, const half* __restrict__ weight,
                             half* __restrict__ padded_image, half* __restrict__ padded_weight, int channels,
                             int image_rows, int weight_rows) {
  const int vectors = (channels + VECTOR - 1) / VECTOR;
  const long long index = blockIdx.x * 256LL + threadIdx.x;
  const int row = index / vectors, channel = index % vectors * VECTOR;
  if (row >= image_rows + weight_rows) return;
  const bool of_image = row < image_rows;
  const int row_there = of_image ? row : row - image_rows;
  const half* from = (of_image ? image : weight) + static_cast<long long>(row_there) * channels + channel;
  half* to = (of_image ? padded_image : padded_weight) +
             static_cast<long long>(row_there) * vectors * VECTOR + channel;
  __align__(16) half x[VECTOR];
#pragma unroll
  for (int i = 0; i < VECTOR; ++i) x[i] = channel + i < channels ? from[i] : __float2half(0);
#if VECTOR == 8
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(x);
#elif VECTOR == 4
  *reinterpret_cast<uint2*>(to) = *reinterpret_cast<const uint2*>(x);
#else
  *reinterpret_cast<unsigned*>(to) = *reinterpret_cast<const unsigned*>(x);
#endif
}
