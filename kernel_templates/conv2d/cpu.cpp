// Convolution for small sizes on one core, in float64: each weight is multiplied by all that it meets.
#include <cstddef>
#include <vector>

namespace {

struct Sizes {
  int batch, channels, filters, height, width, size, stride, padding;
};

// From one number of a channel to the next along a row, from row to row, from channel to channel.
struct Steps {
  long x, y, channel;
  Steps(bool channels_last, int channels, int height, int width)
      : x(channels_last ? channels : 1),
        y(x * width),
        channel(channels_last ? 1 : static_cast<long>(height) * width) {}
};

template <typename Number>
void convolve(const Number* image, const Number* weight, Number* out, const Sizes& of, bool channels_last) {
  const int out_height = (of.height + 2 * of.padding - of.size) / of.stride + 1;
  const int out_width = (of.width + 2 * of.padding - of.size) / of.stride + 1;
  const long plane_size = static_cast<long>(out_height) * out_width,
             taps = static_cast<long>(of.size) * of.size;
  const Steps in(channels_last, of.channels, of.height, of.width);
  const Steps across(channels_last, of.channels, of.size, of.size);
  const Steps to(channels_last, of.filters, out_height, out_width);
  std::vector<double> plane(plane_size);
  for (long n = 0; n < of.batch; ++n)
    for (long f = 0; f < of.filters; ++f) {
      plane.assign(plane.size(), 0.0);
      for (int c = 0; c < of.channels; ++c)
        for (int tap = 0; tap < taps; ++tap) {
          const int r = tap / of.size, s = tap % of.size;
          const Number* channel = image + n * of.channels * of.height * of.width + c * in.channel;
          const double factor = static_cast<float>(
              weight[f * of.channels * taps + c * across.channel + r * across.y + s * across.x]);
          for (int y = 0; y < out_height; ++y) {
            const int from_y = y * of.stride + r - of.padding;
            if (from_y < 0 || from_y >= of.height) continue;
            for (int x = 0; x < out_width; ++x) {
              const int from_x = x * of.stride + s - of.padding;
              if (from_x >= 0 && from_x < of.width)
                plane[static_cast<long>(y) * out_width + x] +=
                    factor * static_cast<float>(channel[from_y * in.y + from_x * in.x]);
            }
          }
        }
      Number* result = out + n * of.filters * plane_size + f * to.channel;
      for (long i = 0; i < plane_size; ++i)
        result[i * to.x] = static_cast<Number>(static_cast<float>(plane[i]));
    }
}

}  // namespace

extern "C" void conv2d_float(const float* image, const float* weight, float* out, int batch, int channels,
                             int filters, int height, int width, int size, int stride, int padding) {
  convolve(image, weight, out, {batch, channels, filters, height, width, size, stride, padding}, false);
}

extern "C" void conv2d_half(const void* image, const void* weight, void* out, int batch, int channels,
                            int filters, int height, int width, int size, int stride, int padding) {
  convolve(static_cast<const _Float16*>(image), static_cast<const _Float16*>(weight),
           static_cast<_Float16*>(out), {batch, channels, filters, height, width, size, stride, padding},
           true);
}
