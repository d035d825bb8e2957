// The reference: every product is exact in float64, and so nearly is the sum. One thread a number of the result.

__global__ void conv2d(const float* image, const float* weight, float* out, int batch, int channels,
                       int filters, int height, int width, int size, int stride, int padding) {
  const int out_height = (height + 2 * padding - size) / stride + 1,
            out_width = (width + 2 * padding - size) / stride + 1;
  const long long index = blockIdx.x * 256LL + threadIdx.x;
  if (index >= static_cast<long long>(batch) * filters * out_height * out_width) return;
  const int x = index % out_width, y = index / out_width % out_height;
  const int filter = index / (out_width * out_height) % filters;
  const long long n = index / (static_cast<long long>(out_width) * out_height * filters);
  double sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int r = 0; r < size; ++r)
      for (int s = 0; s < size; ++s) {
        const int from_y = y * stride - padding + r, from_x = x * stride - padding + s;
        if (from_y < 0 || from_y >= height || from_x < 0 || from_x >= width) continue;
        const double pixel = image[((n * channels + c) * height + from_y) * width + from_x];
        sum += pixel * weight[((static_cast<long long>(filter) * channels + c) * size + r) * size + s];
      }
  out[index] = static_cast<float>(sum);
}
