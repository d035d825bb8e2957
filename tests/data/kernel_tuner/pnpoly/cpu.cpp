#include <algorithm>
#include <thread>
#include <vector>

namespace {

int is_inside(const float* vertices, float x, float y) {
  bool inside = false;
  for (int j = 0, k = 599; j < 600; k = j++) {
    const double tx = vertices[2 * j], ty = vertices[2 * j + 1], fx = vertices[2 * k],
                 fy = vertices[2 * k + 1];
    if ((fy > y) != (ty > y) && x < (fx - tx) / (fy - ty) * (y - ty) + tx) inside = !inside;
  }
  return inside;
}

}  // namespace

extern "C" void cn_pnpoly(int* bitmap, const float* points, const float* vertices, int n) {
  std::vector<std::thread> threads;
  const int cores = std::max(1u, std::thread::hardware_concurrency());
  for (int core = 0; core < cores; ++core)
    threads.emplace_back([=] {
      for (long i = long(n) * core / cores; i < long(n) * (core + 1) / cores; ++i)
        bitmap[i] = is_inside(vertices, points[2 * i], points[2 * i + 1]);
    });
  for (std::thread& thread : threads) thread.join();
}
