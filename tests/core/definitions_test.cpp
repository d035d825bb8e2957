// Two types, or two inline variables, of one name in one namespace are one to the linker, which keeps either and says
// nothing. So a name is defined in one file only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/source_files.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Where the comment, directive or quoted text that begins at `at` ends; `at` if none does.
std::size_t end_of_passage(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view closing, std::size_t from) {
    const std::size_t found = text.find(closing, from);
    return found == text.npos ? text.size() : found + closing.size();
  };
  const auto begins = [&](std::string_view opening) { return text.substr(at).starts_with(opening); };
  const bool in_word = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;

  if (begins("//")) return behind("\n", at);
  if (begins("/*")) return behind("*/", at + 2);
  if (begins("R\"") && !in_word)
    return behind(")" + std::string(text.substr(at + 2, text.find('(', at) - at - 2)) + "\"", at);
  if (begins("\"") || (begins("'") && !in_word)) {  // 1'000 is a number
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  const std::size_t before = text.find_last_not_of(" \t", at == 0 ? text.npos : at - 1);
  if (begins("#") && (at == 0 || before == text.npos || text[before] == '\n')) {
    std::size_t end = text.find('\n', at);
    while (end != text.npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return std::min(end, text.size());
  }
  return at;
}

// Without comments, directives and quoted text, so that every brace left is one of the code. Blanks are single.
std::string bare_code(std::string_view text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_passage(text, at);
    const bool blank = end > at || std::isspace(static_cast<unsigned char>(text[at])) != 0;
    if (!blank)
      code += text[at];
    else if (!code.empty() && code.back() != ' ')
      code += ' ';
    at = std::max(end, at + 1);
  }
  return code;
}

// The name that "struct Shape : Base", "template <class T> class Box" or "inline constexpr int kMost = 3" defines.
// `end` is what follows: { or ;
std::optional<std::string> defined_name(const std::string& head, char end) {
  static const std::regex template_head("^ *template ?<([^<>]|<[^<>]*>)*> ?");
  static const std::regex type(
      R"(\b(struct|class|union|enum)( class| struct)? ([\w:]+( ?<.*>)?)( final)?( ?:[^:].*)? ?$)");
  static const std::regex variable(R"( *(constexpr )?inline\b[^(=]*?(\w+)(\[\w*\])* ?(=([^=].*)?)?)");
  const std::string bare = std::regex_replace(head, template_head, "");
  std::smatch match;
  if (std::regex_match(bare, match, variable)) return match[2];
  if (end == '{' && std::regex_search(bare, match, type)) return match[3];
  return std::nullopt;
}

// What comes before the names in a brace: "tailwave::" in "namespace tailwave"; none in a body, or in a namespace that
// ends with its file.
std::optional<std::string> scope_of(const std::string& head, const std::optional<std::string>& outer) {
  static const std::regex named(R"( *(inline )?namespace ([\w:]+) ?)");
  static const std::regex linkage(" *extern ?");
  std::smatch match;
  if (outer && std::regex_match(head, match, named)) return *outer + match[2].str() + "::";
  return std::regex_match(head, linkage) ? outer : std::nullopt;
}

// The types and inline variables that a file defines where other files' names may meet them: "tailwave::Table".
std::vector<std::string> definitions(const SourceFile& source) {
  std::vector<std::string> names;
  std::vector<std::optional<std::string>> scopes{""};
  std::string head;
  for (const char c : bare_code(source.text)) {
    if (c != '{' && c != '}' && c != ';') {
      head += c;
      continue;
    }
    if (c == '}') {
      if (scopes.size() == 1) throw std::runtime_error(source.path + ": a } too many");
      scopes.pop_back();
    } else if (scopes.back()) {
      if (const auto name = defined_name(head, c)) names.push_back(*scopes.back() + *name);
    }
    if (c == '{') scopes.push_back(scope_of(head, scopes.back()));
    head.clear();
  }
  if (scopes.size() > 1) throw std::runtime_error(source.path + ": a } too few");
  return names;
}

// "tailwave::Shape is defined in a.h and b.h", for each name that more than one file defines.
std::vector<std::string> clashes(const std::vector<SourceFile>& sources) {
  std::map<std::string, std::set<std::string>> files_of;
  for (const SourceFile& source : sources)
    for (const std::string& name : definitions(source)) files_of[name].insert(source.path);
  std::vector<std::string> found;
  for (const auto& [name, files] : files_of) {
    if (files.size() < 2) continue;
    std::string text = name + " is defined in " + *files.begin();
    for (auto file = std::next(files.begin()); file != files.end(); ++file) text += " and " + *file;
    found.push_back(text);
  }
  return found;
}

std::string in_tailwave(const std::string& code) {
  return "namespace tailwave {\n" + code + "\n}  // namespace tailwave\n";
}

TEST(Definitions, AreTypesAndInlineVariables) {
  EXPECT_THAT(
      definitions(
          {"a.h",
           in_tailwave(
               "enum class Side : char { left };\n"
               "template <class T, auto f = g<int>>\nstruct Box final : Base<T> { struct Inner {}; };\n"
               "class Later;\n"
               "template <>\nunion Box<int> {};\n"
               "inline constexpr int kMost = 1'000, kMore{3};\n"
               "inline std::array<int, 2> pair{1, 2};\n"
               "inline const char* brace() { return \"{\"; }\n"
               "inline bool operator==(const Later& a, const Later& b) { return true; }\n"
               "constexpr int kOfThisFile = 3;\n"
               "struct Point find(struct Point where = {});\n")}),
      ElementsAre("tailwave::Side", "tailwave::Box", "tailwave::Box<int>", "tailwave::kMost",
                  "tailwave::pair"));
}

TEST(Definitions, AreSoughtInCodeOnly) {
  EXPECT_THAT(definitions({"a.h",
                           "// struct A {\n/* struct B { */\n#define C struct C { \\\n  struct D {\n"
                           "const char* e = R\"x(struct E {)\")x\", f = '{', *g = \"\\\"{\";\nextern \"C\" "
                           "{\n  struct H {};\n}\n"}),
              ElementsAre("H"));
}

TEST(Definitions, OfTwoFilesClashByTheirFullName) {
  const SourceFile one{"core/one.h", in_tailwave("struct Shape {};")};
  EXPECT_THAT(clashes({one, {"core/two.h", "namespace tailwave::fakes {\nstruct Shape {};\n}\n"}}),
              IsEmpty());
  EXPECT_THAT(clashes({one, {"two_test.cpp", in_tailwave("namespace {\nstruct Shape {};\n}\n")}}), IsEmpty());
  EXPECT_THAT(clashes({one, {"core/two.h", in_tailwave("struct Shape;\nclass Other { struct Shape {}; };")}}),
              IsEmpty());
  EXPECT_THAT(clashes({one, {"core/two.h", in_tailwave("enum class Shape { round };")}}),
              ElementsAre("tailwave::Shape is defined in core/one.h and core/two.h"));
}

TEST(Definitions, OfOneNameStandInOneFile) {
  std::vector<SourceFile> sources;
  for (const char* folder : {"harness", "analysis", "tests"})
    for (SourceFile& source : sources_below(kSourceRoot / folder, kSourceRoot))
      sources.push_back(std::move(source));
  EXPECT_THAT(clashes(sources), IsEmpty());
}

}  // namespace
}  // namespace tailwave
