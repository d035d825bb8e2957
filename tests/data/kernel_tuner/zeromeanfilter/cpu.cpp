#include <vector>

extern "C" void remove_means(float* image, int height, int width) {
  std::vector<double> values(image, image + static_cast<long>(height) * width);
  const auto remove = [&](int lines, int length, long line, long step) {
    for (int i = 0; i < lines; ++i) {
      double sum = 0;
      for (int j = 0; j < length; ++j) sum += values[i * line + j * step];
      for (int j = 0; j < length; ++j) values[i * line + j * step] -= sum / length;
    }
  };
  remove(width, height, 1, width);
  remove(height, width, width, 1);
  for (std::size_t i = 0; i < values.size(); ++i) image[i] = static_cast<float>(values[i]);
}
