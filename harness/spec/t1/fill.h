#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "spec/system.h"
#include "spec/t1/file.h"

namespace tailwave {

struct T1ElementType : ElementType {
  bool boolean = false;  // random numbers are 0 and 1
};

// Reports a value that numbers of `type` cannot hold; a real number without a fraction can be an integer's.
void check_t1_value(const Value& value, ScalarType type, const std::string& pointer, const T1File& file);

// What the argument at `place` (the `index`-th, which random numbers are seeded by) is filled with: `count` scalars.
// What is wrong is reported.
Fill read_t1_fill(const Json& place, const T1ElementType& type, std::size_t index, std::int64_t count,
                  const T1File& file);

}  // namespace tailwave
