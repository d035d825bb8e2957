#include "compile/name_clash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compile/prelude.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

class ClashScan {
 public:
  ClashScan(std::string_view source, std::set<std::string> names)
      : source_(source), found_(tokens_of(source)), names_(std::move(names)) {
    for (const SourceToken& directive : found_.directives) leave_out_names_of(directive.text);
  }

  std::vector<NameClash> all() {
    for (std::size_t i = 0; i < found_.tokens.size(); ++i) {
      if (text(i) == "template" && text(i + 1) == "<") i = read_template(i + 1);
      if (declares(i)) add(i, false);
    }
    return std::move(clashes_);
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < found_.tokens.size() ? found_.tokens[i].text : std::string_view();
  }

  void leave_out_names_of(std::string_view directive) {
    const Tokens parts = tokens_of(directive.substr(1));
    if (parts.tokens.empty()) return;
    const std::string_view kind = parts.tokens.front().text;
    if (!kind.starts_with("if") && kind != "elif" && kind != "undef") return;
    for (const SourceToken& word : parts.tokens) names_.erase(std::string(word.text));
  }

  void add(std::size_t i, bool is_of_template) {
    const std::string name(text(i));
    if (!names_.contains(name)) return;
    clashes_.push_back({name, line_at(source_, found_.tokens[i].begin), is_of_template});
  }

  // The parameters of a template; the place of the bracket that closes them.
  std::size_t read_template(std::size_t open) {
    int depth = 0;
    bool in_default = false;
    for (std::size_t i = open; i < found_.tokens.size(); ++i) {
      const std::string_view here = text(i);
      if (here == "(" || here == "<") ++depth;
      if (here == ")") --depth;
      const bool ends = depth == 1 && (here == "," || here == ">" || here == "=");
      if (ends && !in_default && i > open + 1) add(i - 1, true);
      if (depth == 1) in_default = here == "=" || (in_default && here != ",");
      if (here == ">" && --depth == 0) return i;
    }
    return found_.tokens.size();
  }

  // float V = 1, int* V, (..., int V)
  [[nodiscard]] bool declares(std::size_t i) const {
    static constexpr std::array<std::string_view, 9> kTypes{"float", "double", "int",    "unsigned", "long",
                                                            "char",  "short",  "size_t", "bool"};
    static constexpr std::array<std::string_view, 6> kBehind{",", ")", ";", "=", "[", "{"};
    if (i == 0 || !among(text(i + 1), kBehind)) return false;
    std::size_t before = i - 1;
    while (before > 0 && (text(before) == "*" || text(before) == "&")) --before;
    return among(text(before), kTypes);
  }

  std::string_view source_;
  Tokens found_;
  std::set<std::string> names_;
  std::vector<NameClash> clashes_;
};

}  // namespace

std::vector<NameClash> name_clashes(std::string_view source, const std::set<std::string>& names) {
  return ClashScan(source, names).all();
}

std::string to_string(const NameClash& clash, const std::string& value, const std::filesystem::path& source) {
  return fmt::format("'{0}' is a parameter (#define {0} {1}) and {2}, {3}:{4}; rename one", clash.name, value,
                     clash.is_of_template ? "the name of a template parameter" : "a name that is declared",
                     display_path(source), clash.line);
}

std::string blamed_clash(std::string_view log, const VariantSpec& variant,
                         const Configuration& configuration) {
  std::set<std::string> names;
  for (const auto& [name, value] : configuration.parameters) names.insert(name);
  const std::string file = display_path(variant.source);
  for (const NameClash& clash : name_clashes(read_file(variant.source), names)) {
    const bool of_nvrtc = log.find(fmt::format("{}({}): ", file, clash.line)) != std::string_view::npos;
    const bool of_host = log.find(fmt::format("{}:{}:", file, clash.line)) != std::string_view::npos;
    if (of_nvrtc || of_host)
      return to_string(clash, to_define(configuration.parameters.at(clash.name)), variant.source) + '\n';
  }
  return "";
}

}  // namespace tailwave
