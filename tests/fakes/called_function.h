#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "compile/artifact.h"
#include "compile/cpu/include/tailwave_abi.h"

namespace tailwave::fakes {

// What the first function of a host or library variant, which takes one double*, writes there.
inline double called(const Artifact& artifact) {
  void* library = dlopen(artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library == nullptr) return 0;
  const auto* table = static_cast<const tailwave_cpu::Table*>(dlsym(library, tailwave_cpu::kTableSymbol));
  double result = 0;
  double* argument = &result;
  void* arguments[] = {static_cast<void*>(&argument)};
  EXPECT_TRUE(table->entries[0].call(arguments, nullptr, 0));
  dlclose(library);
  return result;
}

}  // namespace tailwave::fakes
