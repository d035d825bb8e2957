#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "spec/system.h"

namespace tailwave {

// The buffers of an exported program: place of each in its array, and what it holds.
struct ProgramBuffer {
  std::size_t place = 0;
  ScalarType type = ScalarType::float32;
  std::size_t count = 0;  // of elements
};
using ProgramBuffers = std::map<std::string, ProgramBuffer>;

// What an exported program cannot do.
class NotExportable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A literal of C++ that is this number.
std::string real_code(double value);

// The statements in C++ of a plan with every expression evaluated, where `tw_b` is the array of buffers: for a cuda variant
// launches by standalone/cuda_program.h, for a host variant calls of its functions. What is repeated is a loop. Throws
// NotExportable, and as resolve_plan().
std::string plan_code(const VariantSpec& variant, const std::vector<LaunchSpec>& plan, const Values& scope,
                      const ProgramBuffers& buffers);

}  // namespace tailwave
