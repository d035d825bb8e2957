#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "spec/system.h"

namespace tailwave {

// How compilers should print a file: relative to the current directory where it lies below it, else as it is.
std::string display_path(const std::filesystem::path& file);

// One "#define NAME value" line a parameter, sorted by name, values by to_define(), then the variant's other macros.
// The problem is not defined: it reaches kernels as arguments. Throws Failure(compile_error) for a macro whose
// expression has no value there.
std::string define_lines(const VariantSpec& variant, const Configuration& configuration);

// The variant's source without the pragmas that a loop_unroll_factor of 0 takes out (VariantSpec), line for line.
// Throws Error when the file cannot be read.
std::string source_text(const VariantSpec& variant, const Configuration& configuration);

// What a compiler gets before a template's text: the defines, then `#line 1 "<display_path>"`, so that messages point into
// the user's file. Throws as define_lines().
std::string prelude_lines(const VariantSpec& variant, const Configuration& configuration);

// The variant's compiler options for a configuration, in manifest order: true adds the option, false leaves
// it out, any other value replaces "{}" in it ("--maxrregcount={}" -> "--maxrregcount=32"). Throws Failure(
// compile_error) for an expression that has no value there.
std::vector<std::string> expand_options(const VariantSpec& variant, const Configuration& configuration);

// Throws Error that names the file when it cannot be read.
std::string read_file(const std::filesystem::path& file);

// Writes a source of tailwave's own into the cache, where a compiler reads it; its folder is made. Another process
// may be compiling the same one meanwhile. Throws Error.
void write_own_source(const std::filesystem::path& file, std::string_view text);

}  // namespace tailwave
