// The tests that docs/kernels.md names for each feature are there.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "docs/markdown.h"

namespace tailwave::docs {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TAILWAVE_SOURCE_DIR;

// Names of tests in the sources of all of them.
class KnownTests {
 public:
  KnownTests() {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests"))
      if (entry.path().extension() == ".cpp") read(read_text(entry.path()));
  }

  // "Suite.Test", "Suite.*", or of parameterised ones "Prefix/Suite.Test"; or a file of tests.
  [[nodiscard]] bool has(const std::string& name) const {
    if (name.starts_with("tests/")) return fs::exists(kRoot / name);
    static const std::regex kForm(R"((?:(\w+)/)?(\w+)\.(\w+|\*))");
    std::smatch part;
    if (!std::regex_match(name, part, kForm)) return false;
    const auto suite = tests_.find(part[2]);
    if (suite == tests_.end() || (part[3] != "*" && !suite->second.contains(part[3]))) return false;
    return !part[1].matched || prefixes_.contains(part[1].str() + "/" + part[2].str());
  }

 private:
  void read(const std::string& text) {
    // TEST(, TEST_F(, TYPED_TEST( and others of them, and with a prefix first INSTANTIATE_TEST_SUITE_P(.
    for (std::size_t at = text.find("TEST"); at != std::string::npos; at = text.find("TEST", at + 1)) {
      std::size_t end = at;
      const std::string macro = word(text, end);
      if (end >= text.size() || text[end] != '(') continue;
      const std::string first = word(text, ++end), second = word(text, ++end);
      if (macro == "TEST_SUITE_P")
        prefixes_.insert(first + "/" + second);
      else
        tests_[first].insert(second);
    }
  }

  // The one that begins at a place or behind the space there; `at` becomes its end.
  static std::string word(const std::string& text, std::size_t& at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::size_t begin = at;
    const auto belongs = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    };
    while (at < text.size() && belongs(text[at])) ++at;
    return text.substr(begin, at - begin);
  }

  std::map<std::string, std::set<std::string>> tests_;
  std::set<std::string> prefixes_;
};

// What stands in backquotes in the last cell of a row.
std::vector<std::string> names_of_row(const std::string& row) {
  const std::string cell = row.substr(row.rfind('|', row.rfind('|') - 1));
  static const std::regex kQuoted("`([^`]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator one(cell.begin(), cell.end(), kQuoted), end; one != end; ++one)
    names.push_back((*one)[1]);
  return names;
}

TEST(KernelsPage, NamesTestsOfEachFeatureThatAreThere) {
  const KnownTests known;
  std::istringstream page(read_text(kRoot / "docs/kernels.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| feature |")) continue;
    ++rows;
    const std::vector<std::string> names = names_of_row(line);
    EXPECT_FALSE(names.empty()) << "no test: " << line;
    for (const std::string& name : names) EXPECT_TRUE(known.has(name)) << "no test " << name << ": " << line;
  }
  EXPECT_GT(rows, 30);
  EXPECT_FALSE(known.has("KernelsPage.NamesNothing"));
  EXPECT_FALSE(known.has("Nobody/KernelsPage.NamesTestsOfEachFeatureThatAreThere"));
}

}  // namespace
}  // namespace tailwave::docs
