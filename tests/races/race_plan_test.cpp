#include "races/race_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

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
    write_plan(folder.path(), system_, *system_.find_variant("twice"),
               {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}});
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

TEST_F(RacePlanTest, IsNoneWhereAFunctionFillsABuffer) {
  system_.buffers.at("x").fill = {.kind = Fill::Kind::function};
  system_.buffers.at("x").fill.function = "make";
  EXPECT_EQ(fakes::failure_of([&] { written(); }),
            "unavailable: races are not looked for where a function fills a buffer, as make() does 'x'");
}

}  // namespace
}  // namespace tailwave
