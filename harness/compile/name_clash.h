#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "spec/system.h"

namespace tailwave {

// A parameter of a variant is a macro, so a source has no other use of its name: `template <int V>` would be
// `template <int 1>`.
struct NameClash {
  std::string name;
  int line = 0;
  bool is_of_template = false;
};

// Of a source's text with the names of macros: template parameters, and what is declared with one of the types of C++. Those
// that a directive is about (#ifndef V, #undef V) are left out.
std::vector<NameClash> name_clashes(std::string_view source, const std::set<std::string>& names);

// "'V' is a parameter (#define V 1) and the name of a template parameter, k.cu:1; rename one"
std::string to_string(const NameClash& clash, const std::string& value, const std::filesystem::path& source);

// Of the clash in the variant's source that the errors of a compiler are about, one line with its end; else empty.
std::string blamed_clash(std::string_view log, const VariantSpec& variant,
                         const Configuration& configuration);

}  // namespace tailwave
