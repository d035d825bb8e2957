#pragma once

#include <filesystem>
#include <string>
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

// What a compiler gets for a template: the defines, then `#line 1 "<display_path>"`, then its text, so that
// messages point into the user's file. Throws as the two above.
std::string source_with_prelude(const VariantSpec& variant, const Configuration& configuration);

// The variant's compiler options for a configuration, in manifest order: true adds the option, false leaves
// it out, any other value replaces "{}" in it ("--maxrregcount={}" -> "--maxrregcount=32"). Throws Failure(
// compile_error) for an expression that has no value there.
std::vector<std::string> expand_options(const VariantSpec& variant, const Configuration& configuration);

// The files inside `folder` that `source` includes, directly or not, each once, sorted. `#include "x"` is
// looked up beside the including file, then in `folder`; `#include <x>` in `folder`. One that is in neither
// place belongs to a toolkit and is left out. Conditions are not evaluated, so a file under a false #if
// counts too. Throws Error (bad usage) for a file outside the folder and for a name that is a macro: neither
// could be part of a content key.
std::vector<std::filesystem::path> project_headers(const std::filesystem::path& source,
                                                   const std::filesystem::path& folder);

// Content of the source and of its project_headers with their names, for a compiler's key. Throws as above.
std::string source_digest(const std::filesystem::path& source, const std::filesystem::path& folder);

// Throws Error that names the file when it cannot be read.
std::string read_file(const std::filesystem::path& file);

}  // namespace tailwave
