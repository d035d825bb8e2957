#pragma once

#include <string>
#include <string_view>

#include "spec/system.h"

namespace tailwave {

// A spec may come from a stranger, and compilers have options that read and write any file, and load code. What they
// do to the code that is made of a source is allowed, by name; the rest is not.
//
// Why a variant may not have this option, with "{}" where a value comes; empty: it may.
std::string why_not_an_option(std::string_view option, VariantSpec::Target target);

// The same of a library variant that nvcc compiles (VariantSpec::is_nvcc_code).
std::string why_not_an_nvcc_option(std::string_view option);

// nvcc's options that NVRTC has no need of and does not know: how much the code is optimised (it always is), what the host's
// compiler and the linker are told, what NVRTC does anyway. They are left out wherever they are given.
bool is_left_out_for_nvrtc(std::string_view option);

// "-std=c++11" and the like: C++17 takes what they are given for, and is what the headers of the CUDA toolkit and of the
// CPU device need. They are left out wherever they are given.
bool asks_for_older_cpp(std::string_view option);

inline constexpr const char* kAllowsAnyOption =
    "--unsafe-options allows any: some read and write files anywhere, or load code into the compiler";

// From now on any option is allowed, in this process and those that it starts: the user has said so.
void allow_any_option();

}  // namespace tailwave
