#include "adopt/taken_launches.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class TakenLaunchesTest : public AdoptTest {
 protected:
  [[nodiscard]] std::vector<std::string> launched() const {
    std::vector<std::string> kernels;
    for (const json& each : manifest_["variants"]["tuned"]["launches"]) kernels.push_back(each["kernel"]);
    return kernels;
  }
};

constexpr const char* kNorm =
    "template <int BS> __global__ void norm(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * BS + threadIdx.x;\n  if (i < n) y[i] = x[i] * x[i];\n}\n";

TEST_F(TakenLaunchesTest, CasesOfOneTemplateAreValuesOfItsParameter) {
  adopt_text(std::string(kNorm) +
             "void go(const float* x, float* y, int n, int t) {\n  switch (t) {\n"
             "    case 256: norm<256><<<(n + 255) / 256, 256>>>(x, y, n); break;\n"
             "    case 128: norm<128><<<(n + 127) / 128, 128>>>(x, y, n); break;\n"
             "    default: norm<64><<<(n + 63) / 64, 64>>>(x, y, n);\n  }\n}\n");
  EXPECT_THAT(launched(), ElementsAre("norm<TUNED_BS>"));
  EXPECT_EQ(launch()["grid"], "ceil_div(n, TUNED_BS)");
  EXPECT_EQ(launch()["block"], "TUNED_BS");
  EXPECT_EQ(tried()["TUNED_BS"], json({64, 128, 256}));
  EXPECT_THAT(guesses(), ElementsAre("n is 1048576"));
}

TEST_F(TakenLaunchesTest, AnElseIfIsNoOtherThanACase) {
  adopt_text(std::string(kNorm) +
             "void go(const float* x, float* y, int n) {\n"
             "  if (n > 100000) norm<256><<<(n + 255) / 256, 256>>>(x, y, n);\n"
             "  else if (n > 1000) norm<128><<<(n + 127) / 128, 128>>>(x, y, n);\n"
             "  else norm<64><<<(n + 63) / 64, 64>>>(x, y, n);\n}\n"
             "int main() { int n = 5000; float *x, *y; go(x, y, n); }\n");
  EXPECT_THAT(launched(), ElementsAre("norm<TUNED_BS>"));
  EXPECT_EQ(tried()["TUNED_BS"], json({64, 128, 256}));
  EXPECT_EQ(manifest_["variants"]["tuned"]["parameters"]["TUNED_BS"], 128) << "what 5000 leads to";
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 5000);
}

TEST_F(TakenLaunchesTest, TheVariableOfASwitchIsTheParameter) {
  adopt_text(std::string(kNorm) +
             "void go(const float* x, float* y, int n, int threads) {\n"
             "  int blocks = (n + threads - 1) / threads;\n  switch (threads) {\n"
             "    case 512: norm<512><<<blocks, threads>>>(x, y, n); break;\n"
             "    case 32: norm<32><<<blocks, threads>>>(x, y, n); break;\n  }\n}\n");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, TUNED_BS)");
  EXPECT_EQ(tried()["TUNED_BS"], json({32, 512}));
  EXPECT_THAT(adopted_.understood, Contains(HasSubstr("block \"TUNED_BS\", as the file launches it")));
}

TEST_F(TakenLaunchesTest, TruthsOfATemplateAreThoseOfTheFirst) {
  const std::string kernel =
      "template <int BS, bool FULL> __global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * BS + threadIdx.x;\n  if (FULL || i < n) y[i] = x[i];\n}\n";
  adopt_text(kernel +
             "void go(const float* x, float* y, int n, int t) {\n"
             "  if (t == 256) k<256, true><<<n / 256, 256>>>(x, y, n);\n"
             "  else k<128, false><<<n / 128, 128>>>(x, y, n);\n}\n");
  EXPECT_THAT(launched(), ElementsAre("k<TUNED_BS, true>"));
  EXPECT_EQ(tried()["TUNED_BS"], json({128, 256}));
  adopt_text(kernel +
             "void go(const float* x, float* y, int n, bool a, bool b) {\n"
             "  if (a) {\n    if (b) k<64, true><<<n / 64, 64>>>(x, y, n);\n"
             "    else k<64, false><<<n / 64, 64>>>(x, y, n);\n"
             "  } else k<64, false><<<n / 64, 64>>>(x, y, n);\n}\n");
  EXPECT_THAT(launched(), ElementsAre("k<TUNED_BS, true>"));
  std::vector<std::string> notes = guesses();
  std::erase_if(notes,
                [](const std::string& each) { return each.find("alternatives") == std::string::npos; });
  EXPECT_THAT(notes, ElementsAre("the launches from line 6 on are alternatives: took the first, k<64, true>"))
      << "in one note";
}

constexpr const char* kPlainAndWide =
    "__global__ void plain(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += x[i];\n}\n"
    "__global__ void wide(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += x[i];\n}\n";

TEST_F(TakenLaunchesTest, OtherAlternativesAreTakenByTheValuesOfTheFile) {
  const std::string early =
      std::string(kPlainAndWide) +
      "void go(const float* x, float* y, int n) {\n"
      "  if (n % 4 != 0 || n < 64) {\n    plain<<<(n + 255) / 256, 256>>>(x, y, n);\n    return;\n  }\n"
      "  wide<<<(n + 255) / 256, 256>>>(x, y, n);\n}\n";
  adopt_text(early);
  EXPECT_THAT(launched(), ElementsAre("plain"));
  EXPECT_THAT(guesses(), Contains("the launches from line 10 on are alternatives: took the first, plain"));
  EXPECT_THAT(adopted_.guesses[0].where, HasSubstr("--kernel"));
  adopt_text(early + "int main() { const int count = 1 << 12; go(a, b, count); }\n");
  EXPECT_THAT(launched(), ElementsAre("wide"));
  EXPECT_THAT(
      guesses(),
      Contains(
          "the launches from line 10 on are alternatives: took what the values in the file lead to, wide"));
  adopt_text(early, {"wide"});
  EXPECT_THAT(launched(), ElementsAre("wide"));
  adopt_text(
      std::string(kPlainAndWide) +
      "void go(float* x, float* y, int n, bool w) { w ? wide<<<n / 256, 256>>>(x, y, n) : plain<<<n / 256, 256>>>(x, y, n); }");
  EXPECT_THAT(launched(), ElementsAre("wide"));
}

TEST_F(TakenLaunchesTest, WhatOnlyMayBeLaunchedGoesWithTheOthers) {
  adopt_text(std::string(kPlainAndWide) +
             "void go(float* x, float* y, int n, bool w) {\n"
             "  if (w) wide<<<n / 256, 256>>>(x, y, n);\n  plain<<<n / 256, 256>>>(y, x, n);\n}");
  EXPECT_THAT(launched(), ElementsAre("wide", "plain"));
  EXPECT_THAT(guesses(), Not(Contains(HasSubstr("alternatives"))));
}

}  // namespace
}  // namespace tailwave
