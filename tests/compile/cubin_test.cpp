#include "compile/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/nvrtc.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "ptxas_report.h"
#include "spec/system.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

const std::vector<std::string> kKernels{"spilling", "on_stack", "bounded",  "several_barriers",
                                        "calling",  "tiled<4>", "tiled<8>", "plain"};

std::string error_of(std::string_view bytes) {
  try {
    read_cubin(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class CubinOfTarget : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::string why_not;
    nvrtc_ = NvrtcLibrary::load(why_not);
    if (!nvrtc_) GTEST_SKIP() << why_not;
    const auto& targets = nvrtc_->targets();
    if (std::find(targets.begin(), targets.end(), GetParam()) == targets.end())
      GTEST_SKIP() << nvrtc_->version() << " has no target sm_" << GetParam();
  }

  [[nodiscard]] NvrtcResult compile(const std::string& source, const std::vector<std::string>& kernels,
                                    std::vector<std::string> options) const {
    options.push_back("--gpu-architecture=sm_" + std::to_string(GetParam()));
    NvrtcResult result = nvrtc_->compile(source, "test.cu", kernels, options);
    EXPECT_TRUE(result.succeeded) << result.log;
    return result;
  }

  [[nodiscard]] NvrtcResult compile_resources(std::vector<std::string> options) const {
    return compile(read_file(TAILWAVE_TEST_DATA "/compile/resources.cu"), kKernels, std::move(options));
  }

  // Compares the cubin with ptxas's report; max_threads, which that lacks, is not compared.
  static void expect_agreement(const NvrtcResult& result) {
    const auto reported = parse_ptxas_report(result.log);
    const Cubin cubin = read_cubin(result.cubin);
    EXPECT_EQ(cubin.target, GetParam());
    EXPECT_EQ(cubin.kernels.size(), reported.size());
    for (KernelResources kernel : cubin.kernels) {
      ASSERT_TRUE(reported.contains(kernel.kernel)) << kernel.kernel;
      kernel.max_threads = 0;
      const KernelResources& other = reported.at(kernel.kernel);
      EXPECT_EQ(kernel, other) << kernel.kernel << ": registers " << kernel.registers << "/"
                               << other.registers << " spills " << kernel.spill_bytes << "/"
                               << other.spill_bytes << " stack " << kernel.stack_bytes << "/"
                               << other.stack_bytes << " barriers " << kernel.barriers << "/"
                               << other.barriers << " shared " << kernel.static_shared_bytes << "/"
                               << other.static_shared_bytes;
    }
  }

  std::shared_ptr<const NvrtcLibrary> nvrtc_;
};

TEST_P(CubinOfTarget, TellsWhatPtxasReports) {
  for (const char* limit : {"--maxrregcount=32", "--maxrregcount=255"})
    expect_agreement(compile_resources({"--ptxas-options=-v", limit}));
}

TEST_P(CubinOfTarget, HasEachKindOfResource) {
  const NvrtcResult result = compile_resources({"--maxrregcount=32"});
  std::map<std::string, KernelResources> kernels;
  for (const KernelResources& kernel : read_cubin(result.cubin).kernels) kernels[kernel.kernel] = kernel;
  const auto of = [&](const char* name) { return kernels.at(result.symbols.at(name)); };
  EXPECT_EQ(of("spilling").registers, 32);
  EXPECT_GT(of("spilling").spill_bytes, 100);
  EXPECT_GE(of("on_stack").stack_bytes, 256);
  EXPECT_EQ(of("on_stack").spill_bytes, 0);
  EXPECT_EQ(of("bounded").max_threads, 192);
  EXPECT_EQ(of("several_barriers").barriers, 6);
  EXPECT_EQ(of("several_barriers").static_shared_bytes, 4000);
  EXPECT_EQ(of("calling").barriers, 1);
  EXPECT_GE(of("calling").stack_bytes, 160);
  EXPECT_EQ(of("tiled<4>").static_shared_bytes, 512);
  EXPECT_EQ(of("tiled<8>").static_shared_bytes, 1024);
  EXPECT_EQ(of("plain").static_shared_bytes, 0);
  EXPECT_EQ(of("plain").max_threads, 0);
}

TEST_P(CubinOfTarget, TellsTheSizesOfParameters) {
  const NvrtcResult result = compile(
      "struct Big { double numbers[40]; };\n"
      "extern \"C\" __global__ void some(float* y, int n, char c, Big big, float4 four) { y[n] = c + big.numbers[n] + four.x; }\n"
      "extern \"C\" __global__ void none() {}\n",
      {"some", "none"}, {});
  const std::map<std::string, std::vector<int>> expected{{"some", {8, 4, 1, 320, 16}}, {"none", {}}};
  EXPECT_EQ(read_cubin(result.cubin).parameters, expected);
}

TEST_P(CubinOfTarget, HashesTheCodeButNotItsDebugInformation) {
  const std::string hash = read_cubin(compile_resources({}).cubin).code_hash;
  EXPECT_EQ(read_cubin(compile_resources({"--generate-line-info"}).cubin).code_hash, hash);
  EXPECT_EQ(read_cubin(compile_resources({"--ptxas-options=-v"}).cubin).code_hash, hash);
  EXPECT_NE(read_cubin(compile_resources({"--maxrregcount=40"}).cubin).code_hash, hash);
}

TEST_P(CubinOfTarget, IsRefusedWhereverItIsCutOff) {
  const std::string bytes =
      compile("extern \"C\" __global__ void k(float* p) { p[0] = 1; }", {"k"}, {}).cubin;
  EXPECT_EQ(error_of(bytes), "no error");
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40) {
    const std::string error = error_of(std::string_view(bytes).substr(0, size));
    EXPECT_THAT(error,
                testing::AnyOf(testing::StartsWith("damaged cubin: "), testing::StartsWith("not a cubin: ")))
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST_P(CubinOfTarget, IsNeverReadOutsideItsBytes) {
  const std::string whole =
      compile("extern \"C\" __global__ void k(float* p) { p[0] = 1; }", {"k"}, {}).cubin;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 5)
    for (const char damage : {'\x00', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = damage;
      refused += error_of(bytes) == "no error" ? 0 : 1;
    }
  EXPECT_GT(refused, 50U);
}

TEST_P(CubinOfTarget, TellsWhatPtxasReportsOfEveryVariant) {
  for (const std::string system_name : {"nbody", "jacobi"}) {
    Diagnostics diagnostics;
    const auto system =
        load_system(TAILWAVE_SOURCE_DIR "/kernel_templates/" + system_name + "/system.json", diagnostics);
    ASSERT_TRUE(system.has_value()) << Error(diagnostics).what();
    int variants = 0;
    for (const VariantSpec& variant : system->variants) {
      if (variant.target != VariantSpec::Target::cuda || variant.pes) continue;  // which take a linker, too
      ++variants;
      Configuration configuration{system->name, variant.name, {}, {}};
      for (const auto& [name, value] : variant.parameters) configuration.parameters[name] = value;
      for (const auto& [name, quantity] : system->problem)
        configuration.problem[name] = quantity.default_value;
      for (const char* limit : {"", "--maxrregcount=24"}) {
        std::vector<std::string> options = expand_options(variant, configuration);
        options.insert(options.end(), {"--ptxas-options=-v", "--include-path=" + system->directory.string()});
        for (const auto& folder : nvrtc_->include_folders())
          options.push_back("--include-path=" + folder.string());
        if (*limit != '\0') options.emplace_back(limit);
        SCOPED_TRACE(system_name + " " + variant.name + " " + limit);
        expect_agreement(compile(prelude_lines(variant, configuration) + source_text(variant, configuration),
                                 kernel_names(variant), std::move(options)));
      }
    }
    EXPECT_GE(variants, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, CubinOfTarget, testing::Values(61, 70, 75, 80, 90, 100, 120),
                         [](const auto& target) { return "sm_" + std::to_string(target.param); });

TEST_P(CubinOfTarget, TellsTheClustersThatTheCodeIsFor) {
  if (GetParam() < 90) GTEST_SKIP() << "clusters need sm_90";
  const std::string kernel = "(int* x) { x[blockIdx.x] = 1; }\n";
  const auto cubin_of = [&](const std::string& dimensions) {
    return read_cubin(compile("extern \"C\" __global__ void " + dimensions + " k" + kernel, {"k"}, {}).cubin);
  };
  const Cubin plain = cubin_of(""), clusters = cubin_of("__cluster_dims__(4, 2, 1)");
  EXPECT_EQ(plain.kernels.at(0).cluster, std::nullopt);
  EXPECT_EQ(clusters.kernels.at(0).cluster, (Dim3{4, 2, 1}));
  EXPECT_NE(plain.code_hash, clusters.code_hash);
  EXPECT_NE(cubin_of("__cluster_dims__(2, 4, 1)").code_hash, clusters.code_hash);
}

TEST(Cubin, IsNothingElse) {
  EXPECT_EQ(error_of(""), "not a cubin: no ELF file");
  EXPECT_EQ(error_of("#!/bin/sh"), "not a cubin: no ELF file");
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "damaged cubin: it ends too early");
  EXPECT_EQ(error_of(read_file("/proc/self/exe")), "not a cubin: an ELF file of another machine");
}

}  // namespace
}  // namespace tailwave
