#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/artifact.h"
#include "compile/unit_compiler.h"

namespace tailwave {

// How compilers differ that make a shared object of a variant's source.
struct UnitRecipe {
  Artifact::Kind kind;
  const char* header;                               // compiled before the source
  std::array<std::string_view, 3> header_prefixes;  // of the embedded headers that it can include
  const char* entry;                                // makes a table entry of a function
  std::string (*translate)(std::string_view);
  std::vector<std::string> (*flags)(const BuildRequest&);  // of the language and the variant's options
  std::vector<std::string> (*extra_flags)();               // what the user adds to all
  bool is_whole;                                           // UnitCompiler::compile
};

// What a compiler gets for a request.
struct SourceUnit {
  std::string text;
  std::vector<UnitCompiler::File> headers;  // to be put beside the unit
  std::vector<std::string> includes;        // folders among the headers, for #include
  std::vector<std::string> flags;           // of the language and the variant's options
};

// The source after its parameters, as #define lines, and before the table of functions that an executor looks for
// (tailwave_abi.h); places in it are given in the user's files.
SourceUnit unit_of(const UnitRecipe& recipe, const BuildRequest& request);

// When all errors of a log are in the function table, the source is fine and lacks a function: the sentence that
// names it.
std::optional<std::string> missing_function(std::string_view log, const std::vector<std::string>& functions,
                                            const std::filesystem::path& source, const char* noun);

// The text of a header of cpu/include, "tailwave_abi.h".
std::string_view cpu_header(std::string_view name);

}  // namespace tailwave
