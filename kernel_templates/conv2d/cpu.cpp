// Convolution for small sizes on one core, in float64: each weight is multiplied by all that it meets.
#include <vector>

extern "C" void conv2d(const float* image, const float* weight, float* out, int batch, int channels,
                       int filters, int height, int width, int size, int stride, int padding) {
  const int out_height = (height + 2 * padding - size) / stride + 1;
  const int out_width = (width + 2 * padding - size) / stride + 1;
  std::vector<double> plane(static_cast<std::size_t>(out_height) * out_width);
  for (int n = 0; n < batch; ++n)
    for (int f = 0; f < filters; ++f) {
      plane.assign(plane.size(), 0.0);
      for (int c = 0; c < channels; ++c)
        for (int tap = 0; tap < size * size; ++tap) {
          const float* channel = image + (static_cast<long>(n) * channels + c) * height * width;
          const double factor = weight[(static_cast<long>(f) * channels + c) * size * size + tap];
          for (int y = 0; y < out_height; ++y) {
            const int from_y = y * stride + tap / size - padding;
            if (from_y < 0 || from_y >= height) continue;
            for (int x = 0; x < out_width; ++x) {
              const int from_x = x * stride + tap % size - padding;
              if (from_x >= 0 && from_x < width)
                plane[static_cast<long>(y) * out_width + x] +=
                    factor * channel[static_cast<long>(from_y) * width + from_x];
            }
          }
        }
      float* to = out + (static_cast<long>(n) * filters + f) * static_cast<long>(plane.size());
      for (std::size_t i = 0; i < plane.size(); ++i) to[i] = static_cast<float>(plane[i]);
    }
}
