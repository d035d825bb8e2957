// Writes the header that choice_header_bench.cpp looks up in: 4 devices, 48 sizes, 17 configurations, all with waves and overhang.
#include <cmath>
#include <fstream>
#include <string>

#include "interchange/wisdom_header.h"

using namespace tailwave;

namespace {

constexpr WaveSlots kSlots{1056, 132};

SafeChoice made_choice() {
  std::vector<ChoiceTrial> trials;
  int size = 1000;
  for (int i = 0; i < 48; ++i, size = size * 9 / 8) {
    for (int block_size = 32; block_size <= 32 * 17; block_size += 32) {
      const double needed = size / static_cast<double>(block_size), blocks = std::ceil(needed);
      const double overhang = needed > 1 ? needed / std::floor(needed) : 1;
      // Each is the best somewhere; the smallest, the default, nowhere.
      const double speed = block_size == 32 ? 3 : 1 + 0.02 * std::abs(i / 3 - block_size / 32 + 2);
      const double cost = speed * size * block_size * wave_time(blocks, kSlots, 8) * std::pow(overhang, 3);
      trials.push_back({{"nbody", "shared", {{"BLOCK_SIZE", block_size}}, {{"N", size}}},
                        "",
                        {},
                        blocks,
                        kSlots,
                        overhang});
      trials.back().gpus.push_back({"GPU", false, {{std::vector<double>(10, cost / block_size)}}});
    }
  }
  return safe_choice(trials, {"nbody", "shared", {{"BLOCK_SIZE", 32}}, {}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Wisdom wisdom{"bench", "choice", "time", false, {}};
  wisdom.standard = Configuration{"nbody", "shared", {{"BLOCK_SIZE", 32}}, {}};
  const SafeChoice choice = made_choice();
  for (const char* device :
       {"NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA L40S"}) {
    wisdom.entries.push_back(
        {device, 90, 132, {"nbody", "shared", {{"BLOCK_SIZE", 64}}, {{"N", 1000}}}, 1, ""});
    wisdom.choices.push_back({device, 90, 132, choice});
  }
  const Expression one = Expression::constant(1);
  wisdom.grids["shared"] = {Expression::parse("ceil_div(N, BLOCK_SIZE)"), one, one};
  wisdom.conditions["shared"] = {Expression::parse("BLOCK_SIZE % 32 == 0 and BLOCK_SIZE <= N")};
  std::ofstream(argv[1]) << wisdom_header(wisdom);
}
