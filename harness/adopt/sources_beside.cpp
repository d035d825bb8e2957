#include "adopt/sources_beside.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adopt/lexemes.h"
#include "adopt/own_headers.h"
#include "compile/prelude.h"
#include "spec/source_outline.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

// What a file says at namespace scope.
struct OuterNames {
  std::set<std::string> declared;  // functions of the device without a body
  std::set<std::string> defined;   // functions
  std::set<std::string> own;       // of this file alone: static
};

bool has(LexemeSpan head, std::string_view word) {
  return std::any_of(head.begin(), head.end(), [&](const Lexeme& each) { return each.text == word; });
}

bool opens_a_scope(LexemeSpan head) {
  return has(head, "namespace") || (!head.empty() && head.back().text == "\"C\"");
}

// The name that a declaration gives a meaning: what stands before its first (, [, = or end.
std::string declared_name(LexemeSpan head) {
  for (std::size_t i = 1; i <= head.size(); ++i) {
    const bool ends = i == head.size() || head[i].text == "(" || head[i].text == "[" || head[i].text == "=";
    if (ends && is_identifier(head[i - 1].text) && !head[i - 1].text.ends_with("__"))
      return std::string(head[i - 1].text);
  }
  return "";
}

OuterNames outer_names(const std::string& text) {
  OuterNames names;
  for (const OutlineFunction& each : outline_of({text}).functions) names.defined.insert(each.name);
  const Lexemes lexemes = lexemes_of(text);
  const LexemeSpan all(lexemes);
  for (std::size_t i = 0, begin = 0; i < all.size(); ++i) {
    const std::string_view here = all[i].text;
    if (here != ";" && here != "{" && here != "}") continue;
    const LexemeSpan head = all.subspan(begin, i - begin);
    if (has(head, "static")) names.own.insert(declared_name(head));
    if (here == ";" && has(head, "__device__") && has(head, "(") && !has(head, "="))
      names.declared.insert(declared_name(head));
    if (here == "{" && !opens_a_scope(head)) i = std::min(closing(all, i), all.size() - 1);
    begin = i + 1;
  }
  return names;
}

struct SourceBeside {
  fs::path file;
  OuterNames names;
};

std::vector<SourceBeside> sources_in(const fs::path& folder, const fs::path& but) {
  std::vector<SourceBeside> all;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, error))
    if (each.path().extension() == ".cu" && each.path().filename() != but.filename())
      all.push_back({each.path(), outer_names(read_file(each.path()))});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return all;
}

class Linker {
 public:
  explicit Linker(const fs::path& source) {
    const OuterNames own = outer_names(read_file(source) + "\n" + texts_of_own_headers(source));
    taken_ = own.own;
    taken_.insert(own.defined.begin(), own.defined.end());
    wanted_ = own.declared;
    std::erase_if(wanted_, [&](const std::string& name) { return own.defined.contains(name); });
    if (!wanted_.empty()) beside_ = sources_in(fs::absolute(source).lexically_normal().parent_path(), source);
  }

  // Those that are needed, and what is defined there that is wanted.
  std::vector<std::pair<const SourceBeside*, std::string>> needed() {
    std::vector<std::pair<const SourceBeside*, std::string>> found;
    for (std::size_t before = found.size() + 1; before != found.size();) {
      before = found.size();
      for (const SourceBeside& each : beside_) {
        const auto name = std::find_if(wanted_.begin(), wanted_.end(), [&](const std::string& wanted) {
          return each.names.defined.contains(wanted);
        });
        if (name == wanted_.end()) continue;
        found.emplace_back(&each, *name);
        wanted_.insert(each.names.declared.begin(), each.names.declared.end());
        for (const auto& one : found)
          std::erase_if(wanted_, [&](const std::string& defined) {
            return one.first->names.defined.contains(defined);
          });
      }
    }
    return found;
  }

  // With other names for what another file, too, has for itself alone.
  std::string include(const SourceBeside& one) {
    std::string before, behind;
    for (const std::string& name : one.names.own) {
      if (taken_.insert(name).second) continue;
      before += fmt::format("#define {0} {0}_of_{1}\n", name, as_word_of(one.file.stem().string()));
      behind += fmt::format("#undef {}\n", name);
    }
    return fmt::format("{}#include \"{}\"\n{}", before, one.file.filename().string(), behind);
  }

 private:
  static std::string as_word_of(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
  }

  std::vector<SourceBeside> beside_;
  std::set<std::string> wanted_, taken_;
};

}  // namespace

void include_sources_beside(const fs::path& source, Adopted& adopted) {
  Linker linker(source);
  std::string includes;
  for (const auto& [file, function] : linker.needed()) {
    includes += linker.include(*file);
    adopted.understood.push_back(
        fmt::format("{} is defined in {}, which is included at the end of the copies", function,
                    file->file.filename().string()));
  }
  if (includes.empty()) return;
  for (AdoptedFile& each : adopted.files)
    if (each.path.extension() == ".cu") each.text += "\n" + includes;
}

}  // namespace tailwave
