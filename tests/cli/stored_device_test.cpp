#include "cli/stored_device.h"

#include <gtest/gtest.h>

#include "store/sample_data.h"

namespace tailwave {
namespace {

class StoredDevice : public testing::Test {
 protected:
  void add(const std::string& name, DeviceKind kind = DeviceKind::cuda) {
    DeviceDescription device = samples::gpu();
    device.name = name;
    device.kind = kind;
    ResultStore(database_).begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), device);
  }
  std::string of(const std::string& wanted) { return stored_device(database_, wanted); }
  std::string error_of(const std::string& wanted) {
    return samples::error_of([&] { of(wanted); });
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(StoredDevice, IsFoundByItsNameAndByWhatTargetCallsIt) {
  add("NVIDIA H200");
  add("NVIDIA A100-SXM4-40GB");
  add("NVIDIA A100-SXM4-80GB");
  add("NVIDIA GeForce RTX 4090");
  EXPECT_EQ(of("NVIDIA H200"), "NVIDIA H200");
  EXPECT_EQ(of("h200"), "NVIDIA H200");
  EXPECT_EQ(of("nvidia h200"), "NVIDIA H200");
  EXPECT_EQ(of("a100"), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(of("a100_80gb"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(of("rtx4090"), "NVIDIA GeForce RTX 4090");
}

TEST_F(StoredDevice, IsFoundByAPartOfItsNameThatIsItsAlone) {
  add("NVIDIA H200");
  add("AMD EPYC 9654 (2 cores)", DeviceKind::cpu);
  add("AMD Ryzen 9 (8 cores)", DeviceKind::cpu);
  EXPECT_EQ(of("epyc"), "AMD EPYC 9654 (2 cores)");
  EXPECT_EQ(of("EPYC-9654"), "AMD EPYC 9654 (2 cores)");
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(error_of("amd"), file +
                                 ": several devices are called 'amd'\n"
                                 "  name one of them: AMD EPYC 9654 (2 cores), AMD Ryzen 9 (8 cores)");
  EXPECT_EQ(error_of("a100"),
            file +
                ": no device 'a100'\n"
                "  it has results of: AMD EPYC 9654 (2 cores), AMD Ryzen 9 (8 cores), NVIDIA H200");
}

TEST_F(StoredDevice, MayBeAKindOrOfAnEmptyDatabase) {
  EXPECT_EQ(of("h200"), "h200");
  add("NVIDIA H200");
  EXPECT_EQ(of("cuda"), "cuda");
  EXPECT_EQ(of("cpu"), "cpu");
}

}  // namespace
}  // namespace tailwave
