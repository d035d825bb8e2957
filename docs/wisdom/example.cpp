// Which configuration should a program launch on the GPU that it finds, for the size that it has?
//
//   tailwave export --experiment tuning --system nbody --format header --out nbody_tuning.h
//   c++ -std=c++17 -I. docs/wisdom/example.cpp -o example
//   ./example "NVIDIA H200" 90 132 4096
//
// A program asks the driver for the name, compute capability and number of SMs of its GPU.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "nbody_tuning.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s DEVICE_NAME COMPUTE_CAPABILITY SMS N\n", argv[0]);
    return 2;
  }
  using namespace tailwave_wisdom::nbody_tuning;
  Problem problem;
  problem.N = std::atoll(argv[4]);
  const Entry entry = best(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), problem);
  std::printf("variant %s, BLOCK_SIZE %lld\n", std::string(entry.configuration.variant).c_str(),
              static_cast<long long>(entry.configuration.BLOCK_SIZE));
  if (entry.device.name != argv[1]) std::printf("measured on %s\n", std::string(entry.device.name).c_str());
  if (entry.problem.N != problem.N)
    std::printf("measured with N = %lld\n", static_cast<long long>(entry.problem.N));
}
