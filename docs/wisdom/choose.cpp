// Which configuration should a program launch that is never to be slower than with the default one?
//
//   tailwave export --experiment header_sizes --system nbody --format header --out nbody_header_sizes.h
//   c++ -std=c++17 -I. docs/wisdom/choose.cpp -o choose
//   ./choose "NVIDIA H200" 5000
#include <cstdio>
#include <cstdlib>
#include <string>

#include "nbody_header_sizes.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s DEVICE_NAME N\n", argv[0]);
    return 2;
  }
  using namespace tailwave_wisdom::nbody_header_sizes;
  Problem problem;
  problem.N = std::atoll(argv[2]);
  const Choice choice = choose(argv[1], problem);
  std::printf("variant %s, BLOCK_SIZE %lld%s\n", std::string(choice.configuration.variant).c_str(),
              static_cast<long long>(choice.configuration.BLOCK_SIZE),
              choice.is_default ? ", the default" : "");
}
