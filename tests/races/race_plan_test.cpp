#include "races/race_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

class RacePlanTest : public testing::Test {
 protected:
  // What the buffer "x" begins with.
  std::vector<float> written() {
    const ScratchFolder folder;
    const auto made = [](const std::string& buffer) {
      EXPECT_EQ(buffer, "x");
      const std::vector<float> numbers(64, 3.0F);
      const auto bytes = std::as_bytes(std::span(numbers));
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    write_plan(folder.path(), system_, *system_.find_variant("twice"),
               {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}}, made);
    std::ifstream stream(folder / "buffer0", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    std::vector<float> numbers(bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
    return numbers;
  }

  System system_ = fakes::twice_experiment({std::int64_t{32}}).system;
};

TEST_F(RacePlanTest, HasInputsWhoseAmountsNameTheProblem) {
  system_.buffers.at("x").fill = {.kind = Fill::Kind::constant, .value = Expression::parse("N / 2")};
  EXPECT_EQ(written(), std::vector<float>(64, 32.0F));
}

TEST_F(RacePlanTest, HasWhatAFunctionFilled) {
  system_.buffers.at("x").fill = {.kind = Fill::Kind::function};
  system_.buffers.at("x").fill.function = "make";
  EXPECT_EQ(written(), std::vector<float>(64, 3.0F));
}

}  // namespace
}  // namespace tailwave
