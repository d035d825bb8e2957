// The kernels that compare, run on the CPU device: what they find, though not how fast.
#include "device/comparison_kernels.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compile/host_compiler.h"
#include "device/all_comparison_kernels.h"
#include "device/cpu/cpu_executor.h"
#include "fakes/scratch_folder.h"
#include "verify/comparison_cases.h"
#include "verify/difference.h"
#include "verify/verdict.h"

namespace tailwave {
namespace {

using fakes::ComparisonCase;

class ComparisonKernelsOnTheCpu : public testing::Test {
 protected:
  static std::unique_ptr<Program> load(CpuExecutor& executor) {
    const ScratchFolder folder;
    CpuKernelCompiler compiler(ArtifactCache(folder.path() / "cache"));
    return executor.load(
        build_comparison_kernels(compiler, folder.path() / "source", fakes::all_comparison_kernels()));
  }

  std::vector<Verification> compare_all(const std::vector<ComparisonCase>& cases, std::int64_t blocks) {
    std::vector<Verification> found;
    for (const ComparisonCase& arrays : cases) found.push_back(compare_one(arrays, blocks));
    return found;
  }

  Verification compare_one(const ComparisonCase& arrays, std::int64_t blocks) {
    const std::size_t count = arrays.actual.size() / size_bytes(arrays.type);
    const bool range = arrays.comparison.norm == Comparison::Norm::range;
    const auto actual = upload(arrays.actual);
    const auto expected = upload(range ? arrays.actual : arrays.expected);
    const auto partial = executor_.allocate(static_cast<std::size_t>(blocks) * sizeof(ArrayDifference));
    const DifferenceRule rule = difference_rule(arrays.type, arrays.comparison);
    Launch launch;
    launch.kernel = comparison_kernel(arrays.comparison.norm, arrays.type);
    launch.grid.x = blocks;
    launch.block.x = kComparisonBlockThreads;
    launch.arguments = {
        expected.get(),         actual.get(),     scalar(static_cast<unsigned long long>(count)),
        scalar(rule.tolerance), scalar(rule.low), scalar(rule.high),
        partial.get()};
    executor_.run(*program_, std::span(&launch, 1), {});
    std::vector<ArrayDifference> parts(static_cast<std::size_t>(blocks));
    executor_.download(*partial, std::as_writable_bytes(std::span(parts)));
    for (std::size_t i = 1; i < parts.size(); ++i) merge(parts[0], parts[i]);
    return verdict(arrays.type, count, parts[0], arrays.comparison);
  }

  std::unique_ptr<Buffer> upload(const std::vector<std::byte>& bytes) {
    auto buffer = executor_.allocate(bytes.size());
    executor_.upload(*buffer, bytes);
    return buffer;
  }

  CpuExecutor executor_{2};
  std::unique_ptr<Program> program_ = load(executor_);
};

TEST_F(ComparisonKernelsOnTheCpu, ReportWhatTheyShould) {
  for (const std::int64_t blocks : {1, 3})
    fakes::expect_reports([&](const auto& cases) { return compare_all(cases, blocks); });
}

TEST_F(ComparisonKernelsOnTheCpu, FindInRandomArraysWhatTheHostFinds) {
  fakes::expect_as_on_one_thread([&](const auto& cases) { return compare_all(cases, 3); },
                                 fakes::random_cases({1, 7, 1000, 20011}));
}

}  // namespace
}  // namespace tailwave
