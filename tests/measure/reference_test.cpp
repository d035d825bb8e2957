#include "measure/reference.h"

#include <gmock/gmock.h>

#include <functional>

#include "compile/prelude.h"
#include "core/error.h"
#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using fakes::FakeExecutor;
using testing::HasSubstr;

void multiply(const Launch& launch, float by) {
  fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
  for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= by;
}

// The reference is the cuda variant "twice" with its default parameters, as in a T1 file.
class KernelReferenceTest : public testing::Test {
 protected:
  KernelReferenceTest() {
    experiment_.system.reference.variant = "twice";
    experiment_.system.variants.pop_back();
    experiment_.system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
    cpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, 2); };
    gpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, 3); };
  }

  ReferenceTools tools(const ReferenceCache& kept = ReferenceCache()) {
    ReferenceTools tools = tools_without_gpu();
    tools.kernels = &kernels_;
    tools.gpu = &gpu_worker_;
    tools.kept = kept;
    tools.others = [this](const System& /*system*/, const Values& problem) {
      std::vector<Configuration> others;
      for (const std::int64_t size : others_)
        others.push_back({"twice", "twice", {{"BLOCK_SIZE", size}}, problem});
      return others;
    };
    return tools;
  }
  ReferenceTools tools_without_gpu() {
    return {.host_compiler = &host_, .cpu_kernels = &cpu_kernels_, .cpu = &cpu_worker_};
  }

  float first_expected(ReferenceProvider& reference, std::uint64_t draw = 0) {
    const auto expected = reference.expected(experiment_.system, {{"N", std::int64_t{64}}}, draw);
    weakness_ = expected.weakness;
    float first = 0;
    std::memcpy(&first, expected.contents->at("x").bytes().data(), sizeof first);
    return first;
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler host_, cpu_kernels_, kernels_;
  FakeExecutor cpu_{DeviceKind::cpu}, gpu_{DeviceKind::cuda};
  fakes::LocalWorker cpu_worker_{cpu_}, gpu_worker_{gpu_};
  std::vector<std::int64_t> others_{64, 128};  // block sizes of other configurations
  std::string weakness_;                       // of what was expected last
};

TEST_F(KernelReferenceTest, IsComputedOnTheCpu) {
  ReferenceProvider reference(tools());
  EXPECT_EQ(first_expected(reference), 2);
  EXPECT_EQ(weakness_, "");
  EXPECT_EQ(reference.take_weakness(), "");
  EXPECT_EQ(cpu_kernels_.builds, 1);
  EXPECT_EQ(host_.builds, 0);
  EXPECT_EQ(gpu_.runs, 0);
}

TEST_F(KernelReferenceTest, StaysBesideHundredsOfOthers) {
  ReferenceProvider reference(tools());
  const auto expected = [&](std::int64_t n) { return reference.expected(experiment_.system, {{"N", n}}, 0); };
  constexpr int kOthers = 500;
  const auto first = expected(64);
  for (int i = 1; i <= kOthers; ++i) expected(64 + i);
  EXPECT_EQ(cpu_.runs, 1 + kOthers);
  EXPECT_EQ(expected(64).key, first.key);
  EXPECT_EQ(expected(64).contents, first.contents);
  EXPECT_EQ(cpu_.runs, 1 + kOthers);
}

TEST_F(KernelReferenceTest, IsComputedOnTheGpuWhereTheCpuCannotIfASecondConfigurationAgrees) {
  cpu_kernels_.broken = "twice";
  cpu_kernels_.message = "scale.cu:3: no textures here\nmore";
  ReferenceProvider reference(tools());
  EXPECT_EQ(first_expected(reference), 3);
  EXPECT_EQ(
      weakness_,
      "compared with two configurations that agree on the same GPU (twice/twice/BLOCK_SIZE:32/N:64 and "
      "twice/twice/BLOCK_SIZE:64/N:64; on the CPU: compile_error: scale.cu:3: no textures here), which is "
      "weaker than an independent reference");
  EXPECT_EQ(reference.take_weakness(), weakness_);
  EXPECT_EQ(reference.take_weakness(), "");
  EXPECT_EQ(gpu_.runs, 2);
}

TEST_F(KernelReferenceTest, IsDecidedByAThirdConfigurationWhereTwoDiffer) {
  cpu_kernels_.broken = "twice";
  gpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, launch.block.x == 32 ? 7 : 3); };
  ReferenceProvider reference(tools());
  EXPECT_EQ(first_expected(reference), 3);
  EXPECT_THAT(weakness_, HasSubstr("(twice/twice/BLOCK_SIZE:64/N:64 and twice/twice/BLOCK_SIZE:128/N:64; "));
}

TEST_F(KernelReferenceTest, EndsTheRunAndNamesThemWhereNoTwoConfigurationsAgree) {
  cpu_kernels_.broken = "twice";
  gpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, static_cast<float>(launch.block.x)); };
  ReferenceProvider reference(tools());
  try {
    first_expected(reference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "kernel_templates/twice/system.json: /KernelSpecification: the reference, the default "
        "configuration, cannot be computed, so nothing can be verified\n"
        "  no two configurations agree:\n"
        "  twice/twice/BLOCK_SIZE:32/N:64 and twice/twice/BLOCK_SIZE:64/N:64: buffer 'x': relative_l2 1\n"
        "  twice/twice/BLOCK_SIZE:32/N:64 and twice/twice/BLOCK_SIZE:128/N:64: buffer 'x': relative_l2 3\n"
        "  twice/twice/BLOCK_SIZE:64/N:64 and twice/twice/BLOCK_SIZE:128/N:64: buffer 'x': relative_l2 1");
  }
}

TEST_F(KernelReferenceTest, IsNotHeldAgainstAConfigurationWithTheSameCode) {
  cpu_kernels_.broken = "twice";
  kernels_.code_hash = "same";
  ReferenceProvider reference(tools());
  EXPECT_THROW(first_expected(reference), Error);
  EXPECT_EQ(gpu_.runs, 1);
}

TEST_F(KernelReferenceTest, IsComputedWhereTheUserWantsIt) {
  ReferenceTools on_gpu = tools();
  on_gpu.place = ReferencePlace::gpu;
  ReferenceProvider gpu(on_gpu);
  EXPECT_EQ(first_expected(gpu), 3);
  EXPECT_THAT(weakness_, HasSubstr("; as asked for), which is weaker"));
  EXPECT_EQ(cpu_.runs, 0);
  ReferenceTools on_cpu = tools();
  on_cpu.place = ReferencePlace::cpu;
  ReferenceProvider cpu(on_cpu);
  EXPECT_EQ(first_expected(cpu), 2);
  EXPECT_EQ(weakness_, "");
}

TEST_F(KernelReferenceTest, OfAManifestRunsOnTheGpu) {
  experiment_ = fakes::twice_experiment({std::int64_t{32}});
  experiment_.system.reference.variant = "twice";
  experiment_.system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
  ReferenceProvider reference(tools());
  EXPECT_EQ(first_expected(reference), 3);
  EXPECT_EQ(weakness_, "");
  EXPECT_EQ(gpu_.runs, 1);
  EXPECT_EQ(cpu_.runs, 0);
}

TEST_F(KernelReferenceTest, OfAManifestThatReachesOtherMemoryAsksForItsSizes) {
  experiment_ = fakes::twice_experiment({std::int64_t{32}});
  experiment_.system.reference.variant = "twice";
  experiment_.system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
  for (const auto& [outcome, detail] :
       {std::pair(Outcome::crashed, "it was killed by signal 11 (Segmentation fault)"),
        std::pair(Outcome::illegal_access, "an illegal memory access")}) {
    gpu_.kernels["twice"] = [&](const Launch&) { throw Failure(outcome, detail); };
    ReferenceProvider reference(tools());
    try {
      first_expected(reference);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("is a \"count\" too small, or a \"grid\" or \"block\" too large?"));
    }
  }
}

TEST_F(KernelReferenceTest, EndsTheRunWhereNothingComputesIt) {
  cpu_kernels_.broken = "twice";
  ReferenceProvider reference(tools_without_gpu());
  try {
    first_expected(reference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "kernel_templates/twice/system.json: /KernelSpecification: the reference, the default "
                 "configuration, cannot be computed, so nothing can be verified\n  shared.cu(3): error: no");
  }
}

TEST_F(KernelReferenceTest, MayNotWriteBeyondItsBuffers) {
  cpu_.kernels["twice"] = [](const Launch& launch) {
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    x.bytes[x.size_bytes()] = std::byte{0};
  };
  ReferenceProvider reference(tools_without_gpu());
  try {
    first_expected(reference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("guard words of buffer 'x' overwritten: 1 byte past the end"));
  }
}

TEST_F(KernelReferenceTest, MayTakeLongWhereNoGpuCanStepIn) {
  ReferenceProvider with_gpu(tools());
  first_expected(with_gpu);
  EXPECT_EQ(cpu_.deadline_s, ReferenceProvider::kLongOnCpuS);
  ReferenceProvider without(tools_without_gpu());
  first_expected(without);
  EXPECT_EQ(cpu_.deadline_s, ReferenceProvider::kDeadlineS);
}

TEST_F(KernelReferenceTest, IsWeakForTheDrawsThatTheGpuComputedOnly) {
  const ScratchFolder scratch;
  const ReferenceCache kept(scratch.path());
  ReferenceProvider earlier(tools(kept));
  first_expected(earlier, 1);  // the CPU was quick enough for this draw only
  cpu_.kernels["twice"] = [](const Launch&) { throw Failure(Outcome::timeout, "not ended after 300 s"); };
  ReferenceProvider reference(tools(kept));
  EXPECT_EQ(first_expected(reference, 0), 3);
  const std::string weakness = weakness_;
  EXPECT_THAT(weakness, HasSubstr("not ended after 300 s"));
  EXPECT_EQ(first_expected(reference, 1), 2);
  EXPECT_EQ(weakness_, "");
  EXPECT_EQ(reference.take_weakness(), weakness) << "one of the two draws is weak";
  EXPECT_EQ(first_expected(reference, 0), 3);  // from memory
  EXPECT_EQ(weakness_, weakness);
  EXPECT_EQ(reference.take_weakness(), weakness);
}

struct CompilerOfText : fakes::FakeCompiler {
  std::string text;
  std::string key(const BuildRequest& request) override {
    return content_hash(FakeCompiler::key(request) + text);
  }
};

// What a host reference makes is kept in a folder of the test's own.
class KeptReferenceTest : public testing::Test {
 protected:
  KeptReferenceTest() {
    cpu_.kernels["host_twice"] = [](const Launch& launch) { multiply(launch, 2); };
  }

  // As another process would ask; whether the reference was run for it.
  bool runs(std::int64_t n = 64, std::uint64_t draw = 0,
            std::size_t most_bytes = ReferenceCache::Limits().result_bytes) {
    return runs(ReferenceCache(folder_, {.result_bytes = most_bytes}), n, draw);
  }
  bool runs(const ReferenceCache& kept, std::int64_t n = 64, std::uint64_t draw = 0) {
    ReferenceProvider reference({.host_compiler = &host_, .cpu = &cpu_worker_, .kept = kept});
    const int before = cpu_.runs;
    const auto expected = reference.expected(system_, {{"N", n}}, draw);
    latest_ = *expected.contents;
    EXPECT_EQ(expected.weakness, "");
    return cpu_.runs > before;
  }
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  System system_ = fakes::twice_experiment({std::int64_t{32}}).system;
  LaunchSpec& launch_ = system_.variants.at(1).launches.at(0);
  CompilerOfText host_;
  FakeExecutor cpu_{DeviceKind::cpu};
  fakes::LocalWorker cpu_worker_{cpu_};
  ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_ / "references";
  BufferContents latest_;
};

TEST_F(KeptReferenceTest, IsNotRunAgain) {
  EXPECT_TRUE(runs());
  const BufferContents computed = latest_;
  EXPECT_EQ(computed.at("x").bytes().size(), 64 * sizeof(float));
  const int builds = host_.builds;
  EXPECT_FALSE(runs());
  EXPECT_EQ(latest_, computed);
  EXPECT_EQ(host_.builds, builds);
  EXPECT_EQ(files().size(), 1);
}

TEST_F(KeptReferenceTest, IsRunAgainForAllThatItDependsOn) {
  EXPECT_TRUE(runs());
  EXPECT_TRUE(runs(128));
  EXPECT_TRUE(runs(64, 1));
  BufferSpec& x = system_.buffers.at("x");
  const std::vector<std::function<void()>> changes{
      [&] { host_.text = "another source"; },
      [&] { x.fill.seed = 8; },
      [&] { x.fill.high = 2; },
      [&] { x.count = Expression::parse("2 * N"); },
      [&] { system_.buffers["y"] = x; },
      [&] { system_.reference.compare["y"] = system_.reference.compare.at("x"); },
      [&] { system_.variants.at(1).prepare = {launch_}; },
      [&] { system_.variants.at(1).finish = {launch_}; },
      [&] { launch_.when = Expression::parse("N > 0"); },
      [&] {
        launch_.arguments.push_back(ScalarArgument{Expression::parse("N"), ScalarType::int32});
      },
      [&] {
        launch_.arguments.back() = ScalarArgument{Expression::parse("N + 1"), ScalarType::int32};
      },
      [&] { system_.variants.at(1).parameters.emplace_back("STEPS", std::int64_t{1}); },
      [&] { system_.variants.at(1).parameters.back().second = 1.0; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]();
    EXPECT_TRUE(runs()) << i;
    EXPECT_FALSE(runs()) << i;
  }
  EXPECT_EQ(files().size(), 3 + changes.size());
}

TEST_F(KeptReferenceTest, DoesNotDependOnHowItIsCompared) {
  EXPECT_TRUE(runs());
  system_.reference.compare.at("x").tolerance = Expression::constant(1e-3);
  system_.title = "Another title";
  EXPECT_FALSE(runs());
}

TEST_F(KeptReferenceTest, IsRunAgainAndReplacedWhereItsFileIsDamaged) {
  EXPECT_TRUE(runs());
  const BufferContents computed = latest_;
  const std::filesystem::path file = files().at(0);
  const std::string whole = read_file(file);
  std::string another_byte = whole, another_key = whole, another_size = whole;
  another_byte.back() ^= 1;
  another_key.at(whole.find("\"key\":\"") + 7) ^= 1;
  another_size.replace(whole.find(":256"), 4, ":128");
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() - 4), whole.substr(0, whole.find('\n')), whole + "more",
        std::string("{}\n"), another_byte, another_key, another_size}) {
    scratch_.write(file, damaged);
    EXPECT_TRUE(runs()) << damaged.substr(0, 100);
    EXPECT_EQ(latest_, computed);
    EXPECT_EQ(read_file(file), whole);
    EXPECT_FALSE(runs());
  }
}

// It may read a file of its own.
TEST_F(KeptReferenceTest, IsRunAgainAndReplacedWhereNothingIsToBeFound) {
  EXPECT_TRUE(runs());
  cpu_.kernels["host_twice"] = [](const Launch& launch) { multiply(launch, 4); };
  const BufferContents earlier = latest_;
  EXPECT_FALSE(runs());
  EXPECT_EQ(latest_, earlier);
  EXPECT_TRUE(runs(ReferenceCache(folder_).finding_nothing()));
  const BufferContents computed = latest_;
  EXPECT_NE(computed, earlier);
  EXPECT_FALSE(runs());
  EXPECT_EQ(latest_, computed);
  EXPECT_EQ(files().size(), 1);
}

TEST_F(KeptReferenceTest, IsUsedWhereItCannotBeKept) {
  folder_ = scratch_.write("file", "") / "references";
  EXPECT_TRUE(runs());
  EXPECT_TRUE(runs());
  EXPECT_EQ(latest_.at("x").bytes().size(), 64 * sizeof(float));
}

TEST_F(KeptReferenceTest, IsNotKeptWhereItIsLargerThanTheLimit) {
  EXPECT_TRUE(runs(64, 0, 255));
  EXPECT_FALSE(std::filesystem::exists(folder_));
  EXPECT_TRUE(runs(64, 0, 256));
  EXPECT_FALSE(runs(64, 0, 256));
}

TEST_F(KeptReferenceTest, IsNotKeptWhereItsSourceChangesMeanwhile) {
  cpu_.on_run = [&] { host_.text += "changed"; };
  EXPECT_TRUE(runs());
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(KeptReferenceTest, IsNotKeptWhereAFileOfInputsIsNotTheOneThatWasLoaded) {
  BufferSpec& x = system_.buffers.at("x");
  x.fill = {.kind = Fill::Kind::file};
  x.fill.file = scratch_.write("x.bin", std::string(256, 'x'));
  x.fill.digest = content_hash(std::string(256, 'x'));
  EXPECT_TRUE(runs());
  EXPECT_FALSE(runs());
  scratch_.write("x.bin", std::string(256, 'y'));
  EXPECT_TRUE(runs());
  EXPECT_TRUE(runs());
}

TEST_F(KernelReferenceTest, IsKeptWhereItWasComputedOnTheCpuOnly) {
  const ScratchFolder scratch;
  const ReferenceCache kept(scratch.path());
  cpu_kernels_.broken = "twice";
  for (int i = 0; i < 2; ++i) {
    ReferenceProvider reference(tools(kept));
    EXPECT_EQ(first_expected(reference), 3);
    EXPECT_EQ(gpu_.runs, 2 * (i + 1));
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  cpu_kernels_.broken = "\n";
  for (int i = 0; i < 2; ++i) {
    ReferenceProvider reference(tools(kept));
    EXPECT_EQ(first_expected(reference), 2);
    EXPECT_EQ(cpu_.runs, 1);
    EXPECT_EQ(weakness_, "");
  }
}

}  // namespace
}  // namespace tailwave
