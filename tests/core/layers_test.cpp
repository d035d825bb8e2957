// The harness is layered: a folder may include only itself and the folders before it in
// harness/CMakeLists.txt, only the places in
// kCudaPlaces know CUDA's headers, and only the folders in kSqlFolders know SQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/source_files.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 5> kCudaPlaces{"compile/nvrtc", "occupancy/occupancy.cpp",
                                                      "capture/injected/", "standalone/cuda_program.h",
                                                      "device/cuda/"};

constexpr std::array<std::string_view, 3> kSqlFolders{"store/", "interchange/", "report/"};

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(kSourceRoot / file).rdbuf();
  return text.str();
}

// What the first group of a pattern stands for, wherever it is found.
std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

// In the order in which harness/CMakeLists.txt adds them.
const std::vector<std::string>& layers() {
  static const std::vector<std::string> names = [] {
    const std::string cmake = text_of("harness/CMakeLists.txt");
    const std::size_t begin = cmake.find("foreach(layer ") + std::string_view("foreach(layer ").size();
    return all_matches(cmake.substr(begin, cmake.find(')', begin) - begin), std::regex("([a-z]+)"));
  }();
  return names;
}

std::size_t layer_of(std::string_view path) {
  const std::string_view folder = path.substr(0, path.find('/'));
  return static_cast<std::size_t>(std::find(layers().begin(), layers().end(), folder) - layers().begin());
}

bool knows_cuda(std::string_view path) {
  return std::any_of(kCudaPlaces.begin(), kCudaPlaces.end(),
                     [&](std::string_view place) { return path.starts_with(place); });
}

// "core/value.h includes spec/system.h" for each include that breaks the rules.
std::vector<std::string> wrong_includes(const SourceFile& source) {
  static const std::regex directive(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])",
                                    std::regex::multiline);
  static const std::regex cuda_header(
      "(cu|nvrtc|nvml|cupti|cooperative_groups)[a-z_]*\\.h(pp)?|(cub|thrust|cuda)/.*");
  std::vector<std::string> wrong;
  for (std::sregex_iterator match(source.text.begin(), source.text.end(), directive), end; match != end;
       ++match) {
    const std::string included = (*match)[2];
    const std::size_t layer = layer_of(included);
    const bool below =
        included.find('/') != std::string::npos && layer < layers().size() && layer > layer_of(source.path);
    const bool cuda =
        (*match)[1] == "<" && std::regex_match(included, cuda_header) && !knows_cuda(source.path);
    if (below || cuda) wrong.push_back(source.path + " includes " + included);
  }
  return wrong;
}

// The first line with SQL in a file that is to have none; "" where there is none. Statements are upper case everywhere.
std::string stray_sql(const SourceFile& source) {
  static constexpr std::array<std::string_view, 6> kWords{"SELECT ",      "FROM ",   "JOIN ",
                                                          "INSERT INTO ", "UPDATE ", "PRAGMA "};
  const bool may = std::any_of(kSqlFolders.begin(), kSqlFolders.end(),
                               [&](std::string_view folder) { return source.path.starts_with(folder); });
  std::size_t first = std::string::npos;
  for (const std::string_view word : kWords) first = std::min(first, source.text.find(word));
  if (may || first == std::string::npos) return "";
  const std::size_t begin = source.text.rfind('\n', first) + 1;  // 0 where there is none
  return source.text.substr(begin, source.text.find('\n', first) - begin);
}

// A .cpp is declared by the header of its name, which it includes first, so that each header is known to compile
// alone; or, where many are alike, by one header of their family, which it includes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFamilies{
    {{"search/", "search/kinds.h"}, {"selftest/", "selftest/checks.h"}, {"cli/", "cli/commands.h"}}};
constexpr std::array<std::string_view, 3> kDeclaredByNobody{"main.cpp", "core/sanitizers.cpp",
                                                            "capture/injected/injected.cpp"};

std::string first_include(const std::string& text) {
  static const std::regex directive(R"(^#include ([<"][^>"]+)[>"])", std::regex::multiline);
  std::smatch match;
  return std::regex_search(text, match, directive) ? match[1].str() : "";
}

// "core/value.cpp does not begin with core/value.h", or "".
std::string wrong_beginning(const SourceFile& source, bool has_header) {
  const auto starts = [&](std::string_view place) { return source.path.starts_with(place); };
  const bool free = std::any_of(kDeclaredByNobody.begin(), kDeclaredByNobody.end(), starts);
  if (free || !source.path.ends_with(".cpp")) return "";
  const auto family =
      std::find_if(kFamilies.begin(), kFamilies.end(), [&](const auto& each) { return starts(each.first); });
  if (!has_header && family != kFamilies.end()) {
    const std::string include = "#include \"" + std::string(family->second) + "\"";
    return source.text.find(include) != std::string::npos
               ? ""
               : source.path + " does not include " + std::string(family->second);
  }
  const std::string header = fs::path(source.path).replace_extension(".h").string();
  return first_include(source.text) == '"' + header ? "" : source.path + " does not begin with " + header;
}

TEST(Layers, AFileThatDoesNotBeginWithItsHeaderIsFound) {
  EXPECT_EQ(wrong_beginning({"core/value.cpp", "// Of values.\n#include \"core/value.h\"\n"}, true), "");
  EXPECT_EQ(wrong_beginning({"core/value.cpp", "#include <map>\n#include \"core/value.h\"\n"}, true),
            "core/value.cpp does not begin with core/value.h");
  EXPECT_EQ(wrong_beginning({"core/value.cpp", "#include \"core/error.h\"\n"}, false),
            "core/value.cpp does not begin with core/value.h");
  EXPECT_EQ(wrong_beginning({"search/genetic.cpp", "#include <map>\n#include \"search/kinds.h\"\n"}, false),
            "");
  EXPECT_EQ(wrong_beginning({"search/genetic.cpp", "#include <map>\n"}, false),
            "search/genetic.cpp does not include search/kinds.h");
}

TEST(Layers, EveryFileBeginsWithTheHeaderThatDeclaresIt) {
  for (const SourceFile& source : sources_below(kSourceRoot / "harness", kSourceRoot / "harness")) {
    if (source.path.starts_with("cli/starter/")) continue;  // what `tailwave new` writes
    const fs::path header = (kSourceRoot / "harness" / source.path).replace_extension(".h");
    EXPECT_EQ(wrong_beginning(source, fs::exists(header)), "");
  }
}

TEST(Layers, AnIncludeOfALowerFolderIsFound) {
  EXPECT_THAT(wrong_includes({"core/value.h", "#pragma once\n#include <map>\n#include \"core/error.h\"\n"}),
              IsEmpty());
  EXPECT_THAT(wrong_includes(
                  {"spec/system.cpp", "#include \"space/expression.h\"\n  # include \"store/database.h\"\n"}),
              ElementsAre("spec/system.cpp includes store/database.h"));
  EXPECT_THAT(wrong_includes({"core/value.cpp", "// #include \"cli/x.h\"\n#include \"cli/x.h\"\n"}),
              ElementsAre("core/value.cpp includes cli/x.h"));
}

TEST(Layers, ACudaHeaderOutsideItsPlacesIsFound) {
  EXPECT_THAT(wrong_includes({"device/cuda/driver.cpp", "#include <cuda.h>\n"}), IsEmpty());
  EXPECT_THAT(wrong_includes({"compile/nvrtc.cpp", "#include <nvrtc.h>\n"}), IsEmpty());
  EXPECT_THAT(
      wrong_includes(
          {"tune/pipeline.cpp", "#include <cuda.h>\n#include <curses>\n#include <cuda_occupancy.h>\n"}),
      ElementsAre("tune/pipeline.cpp includes cuda.h", "tune/pipeline.cpp includes cuda_occupancy.h"));
}

TEST(Layers, StraySqlIsFound) {
  EXPECT_EQ(stray_sql({"store/rows.cpp", "database.prepare(\"SELECT 1 FROM run\")"}), "");
  EXPECT_EQ(stray_sql({"cli/tune.cpp", "// Selects what it is from: joined\nmaker.prepare(job);"}), "");
  EXPECT_EQ(stray_sql({"cli/tune.cpp", "int n;\nprepare(\"SELECT 1 FROM run\");\n"}),
            "prepare(\"SELECT 1 FROM run\");");
  EXPECT_EQ(stray_sql({"tune/tuner.cpp", "execute(\"UPDATE run SET status = 1\")"}),
            "execute(\"UPDATE run SET status = 1\")");
}

TEST(Layers, AreNamedInTheReadmeInTheirOrder) {
  ASSERT_GT(layers().size(), 10U);
  EXPECT_EQ(all_matches(text_of("harness/README.md"), std::regex(R"(\n\| `([a-z]+)/` \|)")), layers());
}

TEST(Layers, EveryFolderOfTheHarnessIsALayer) {
  for (const auto& entry : fs::directory_iterator(kSourceRoot / "harness")) {
    if (!entry.is_directory() || entry.path().filename() == "python") continue;  // no C++
    EXPECT_LT(layer_of(entry.path().filename().string()), layers().size()) << entry.path();
  }
}

TEST(Layers, NoFileIncludesALowerFolderOrAStrayCudaHeader) {
  const std::vector<SourceFile> sources = sources_below(kSourceRoot / "harness", kSourceRoot / "harness");
  ASSERT_FALSE(sources.empty());
  for (const SourceFile& source : sources) {
    if (source.path == "main.cpp") continue;
    EXPECT_THAT(wrong_includes(source), IsEmpty());
  }
}

// A command's file has no header: cli/commands.h declares what it adds.
TEST(Layers, EverySourceIsDeclaredByTheHeaderOfItsName) {
  for (const char* folder : {"store", "interchange", "report", "cli"}) {
    for (const SourceFile& source :
         sources_below(kSourceRoot / "harness" / folder, kSourceRoot / "harness")) {
      const bool command =
          source.text.find("\nvoid add_") != std::string::npos && folder == std::string_view("cli");
      const bool text = source.path.starts_with("cli/starter/");  // that the program writes
      fs::path header = source.path;
      EXPECT_TRUE(command || text || fs::exists(kSourceRoot / "harness" / header.replace_extension(".h")))
          << source.path;
    }
  }
}

TEST(Layers, NoFileBesideTheDatabaseAndItsReportsHoldsSql) {
  for (const SourceFile& source : sources_below(kSourceRoot / "harness", kSourceRoot / "harness"))
    EXPECT_EQ(stray_sql(source), "") << source.path;
}

// SQLite 3.43 to 3.45 cut off what this leaves out: 24.83 became 24.
TEST(Sql, RoundsWhatItPrintsWithoutDecimals) {
  std::size_t files = 0;
  for (const char* folder : {"harness", "analysis"})
    for (const auto& entry : fs::recursive_directory_iterator(kSourceRoot / folder)) {
      if (entry.path().extension() != ".sql" && entry.path().extension() != ".cpp") continue;
      ++files;
      EXPECT_THAT(text_of(entry.path()), testing::Not(testing::HasSubstr("%.0f"))) << entry.path();
    }
  EXPECT_GT(files, 200U);
}

}  // namespace
}  // namespace tailwave
