// The reference: every product is exact in float64, and so nearly is the sum. One thread a number of the
// result.
#include <cuda_fp16.h>

struct Sizes {
  int batch, channels, filters, height, width, size, stride, padding;
};

__device__ double number(float x) {
  return x;
}
__device__ double number(half x) {
  return __half2float(x);
}
__device__ void put(float* to, double x) {
  *to = static_cast<float>(x);
}
__device__ void put(half* to, double x) {
  *to = __double2half(x);
}

// Where a number lies, of so many channels of height x width: channels last, or last but two.
template <bool ChannelsLast>
__device__ long long place(long long n, int channel, int y, int x, int channels, int height, int width) {
  return ChannelsLast ? ((n * height + y) * width + x) * channels + channel
                      : ((n * channels + channel) * height + y) * width + x;
}

template <bool ChannelsLast, typename Number>
__device__ void convolve(const Number* image, const Number* weight, Number* out, Sizes of) {
  const int out_height = (of.height + 2 * of.padding - of.size) / of.stride + 1,
            out_width = (of.width + 2 * of.padding - of.size) / of.stride + 1;
  const long long index = blockIdx.x * 256LL + threadIdx.x;
  if (index >= static_cast<long long>(of.batch) * of.filters * out_height * out_width) return;
  // Neighbouring threads have neighbouring numbers of the image, or of the result.
  const int filter = ChannelsLast ? index % of.filters : index / (out_width * out_height) % of.filters;
  const long long pixel = ChannelsLast ? index / of.filters : index;
  const int x = pixel % out_width, y = pixel / out_width % out_height;
  const long long n = index / (static_cast<long long>(out_width) * out_height * of.filters);
  double sum = 0;
  for (int c = 0; c < of.channels; ++c)
    for (int r = 0; r < of.size; ++r)
      for (int s = 0; s < of.size; ++s) {
        const int from_y = y * of.stride - of.padding + r, from_x = x * of.stride - of.padding + s;
        if (from_y < 0 || from_y >= of.height || from_x < 0 || from_x >= of.width) continue;
        sum += number(image[place<ChannelsLast>(n, c, from_y, from_x, of.channels, of.height, of.width)]) *
               number(weight[place<ChannelsLast>(filter, c, r, s, of.channels, of.size, of.size)]);
      }
  put(out + place<ChannelsLast>(n, filter, y, x, of.filters, out_height, out_width), sum);
}

__global__ void conv2d_float(const float* image, const float* weight, float* out, Sizes sizes) {
  convolve<false>(image, weight, out, sizes);
}
__global__ void conv2d_half(const half* image, const half* weight, half* out, Sizes sizes) {
  convolve<true>(image, weight, out, sizes);
}
