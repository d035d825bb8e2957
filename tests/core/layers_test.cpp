// The harness is layered: a folder may include only itself and the folders above it in kLayers, and only the
// places in kCudaPlaces know CUDA's headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_files.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 16> kLayers{
    "core",   "json",   "space",   "spec",     "store",  "interchange", "compile", "occupancy",
    "verify", "device", "measure", "selftest", "search", "tune",        "report",  "cli"};
constexpr std::array<std::string_view, 3> kCudaPlaces{"compile/nvrtc", "occupancy/occupancy.cpp",
                                                      "device/cuda/"};

std::size_t layer_of(std::string_view path) {
  const std::string_view folder = path.substr(0, path.find('/'));
  return static_cast<std::size_t>(std::find(kLayers.begin(), kLayers.end(), folder) - kLayers.begin());
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
        included.find('/') != std::string::npos && layer < kLayers.size() && layer > layer_of(source.path);
    const bool cuda =
        (*match)[1] == "<" && std::regex_match(included, cuda_header) && !knows_cuda(source.path);
    if (below || cuda) wrong.push_back(source.path + " includes " + included);
  }
  return wrong;
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

TEST(Layers, EveryFolderOfTheHarnessIsALayer) {
  for (const auto& entry : fs::directory_iterator(kSourceRoot / "harness")) {
    if (!entry.is_directory()) continue;
    EXPECT_LT(layer_of(entry.path().filename().string()), kLayers.size()) << entry.path();
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

}  // namespace
}  // namespace tailwave
