// The walks step by step, on one core: the reference.

#include <cstdint>

extern "C" void walk(const std::uint32_t* starts, std::uint32_t* ends, int n, int hops, int entries,
                     int rounds) {
  const std::uint32_t mask = static_cast<std::uint32_t>(entries) - 1;
  for (int i = 0; i < n; ++i) {
    std::uint32_t place = starts[i] & mask;
    for (int hop = 0; hop < hops; ++hop) {
      for (int round = 0; round < rounds; ++round) {
        place ^= place >> 15;
        place *= 0x9E3779B1U;
      }
      place = (place ^ (place >> 16)) & mask;
    }
    ends[i] = place;
  }
}
