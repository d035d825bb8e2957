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

inline void expect_report(const Break& broken) {
  const SpecTree tree;
  tree.replace(broken.file, broken.from, broken.to);
  EXPECT_EQ(tree.problems(), std::string(broken.file) + ": " + broken.message);
}

inline std::string name_of(const testing::TestParamInfo<Break>& info) {
  return info.param.what;
}

}  // namespace tailwave
