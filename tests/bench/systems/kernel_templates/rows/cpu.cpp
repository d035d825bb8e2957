#include <thread>
#include <vector>

#include "length.h"

extern "C" void rows(const float* chance, const float* data, float* sums, int rows, int shape, int longest) {
  const unsigned workers = std::thread::hardware_concurrency() + 1;
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < workers; ++worker)
    threads.emplace_back([=] {
      for (int row = static_cast<int>(worker); row < rows; row += static_cast<int>(workers)) {
        const int length = row_length(chance[row / 32], shape, longest);
        double sum = 0;
        for (int i = 0; i < length; ++i) sum += data[(row + i * 32) & 1023];
        sums[row] = static_cast<float>(sum);
      }
    });
}
