#include "cli/other_gpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "spec/experiment_reader.h"

namespace tailwave {
namespace {

Experiment shipped(const std::string& name) {
  return load_experiment(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "experiments" / "jacobi" /
                         (name + ".json"));
}

TEST(OtherDevices, AreUsedByWhatLaunchesThereAlone) {
  EXPECT_TRUE(has_other_gpus(shipped("multi_gpu")));
  EXPECT_FALSE(has_other_gpus(shipped("tuning"))) << "of the same system";
  Experiment elements = shipped("nvshmem");
  std::erase_if(elements.cases, [](const Case& one) { return one.variant == "multi_gpu"; });
  EXPECT_FALSE(has_other_gpus(elements)) << "processing elements see for themselves";
}

TEST(OtherDevices, AreUsedByASystemOfWhichNoVariantIsNamed) {
  Experiment any = shipped("tuning");
  any.cases.clear();
  EXPECT_TRUE(has_other_gpus(any));
  std::erase_if(any.system.variants, [](const VariantSpec& one) { return one.name == "multi_gpu"; });
  EXPECT_FALSE(has_other_gpus(any));
}

TEST(OtherDevices, AreUsedByARegimeInSuchASystem) {
  Experiment experiment = shipped("tuning");
  Regime& regime = experiment.regimes.emplace_back();
  regime.system = std::make_shared<System>(experiment.system);
  EXPECT_TRUE(has_other_gpus(experiment)) << "which of its variants it takes is not looked at";
}

}  // namespace
}  // namespace tailwave
