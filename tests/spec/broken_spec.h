#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "spec/spec_tree.h"

namespace tailwave {

// One replacement in the files of a SpecTree, and what is reported then.
struct Break {
  const char* what;
  const char* file;
  const char* from;
  const char* to;
  const char* message;  // after "FILE: "
};

inline std::ostream& operator<<(std::ostream& stream, const Break& broken) {
  return stream << broken.what;
}

// Its test is in broken_specs_test.cpp; every file of breaks is an instantiation of it.
class BrokenSpec : public testing::TestWithParam<Break> {};

inline std::string name_of(const testing::TestParamInfo<Break>& info) {
  return info.param.what;
}

}  // namespace tailwave
