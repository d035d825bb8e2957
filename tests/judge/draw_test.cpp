#include "judge/draw.h"

#include <gtest/gtest.h>

#include "measure/inputs.h"

namespace tailwave {
namespace {

System with_inputs() {
  System system;
  system.buffers["random"] = {.fill = {.kind = Fill::Kind::uniform, .seed = 1}};
  system.buffers["other"] = {.fill = {.kind = Fill::Kind::uniform, .seed = 2}};
  system.buffers["constant"] = {.fill = {.kind = Fill::Kind::constant, .value = 3, .seed = 1}};
  return system;
}

TEST(Draw, OfASessionHasInputsOfItsOwnInEveryDraw) {
  System one = with_inputs(), same = with_inputs(), other = with_inputs();
  draw_inputs_of_session(one, 7);
  draw_inputs_of_session(same, 7);
  draw_inputs_of_session(other, 8);
  for (const char* name : {"random", "other"}) {
    for (const std::uint64_t draw : {0, 1}) {
      const auto input = make_input(one.buffers.at(name), 100, draw);
      EXPECT_EQ(input, make_input(same.buffers.at(name), 100, draw));
      EXPECT_NE(input, make_input(other.buffers.at(name), 100, draw));
      EXPECT_NE(input, make_input(with_inputs().buffers.at(name), 100, draw));
    }
  }
}

TEST(Draw, InputsThatDifferBySeedStillDo) {
  System system = with_inputs();
  draw_inputs_of_session(system, 7);
  EXPECT_NE(system.buffers.at("random").fill.seed, system.buffers.at("other").fill.seed);
  EXPECT_EQ(system.buffers.at("constant").fill.seed, 1U) << "it decides nothing";
}

TEST(Draw, ASeedFitsANumberOfJson) {
  std::uint64_t all = 0;
  for (int i = 0; i < 100; ++i) all |= random_session_seed();
  EXPECT_LT(all, std::uint64_t{1} << 53);
  EXPECT_GT(all, std::uint64_t{1} << 40);
  EXPECT_NE(random_session_seed(), random_session_seed());
}

}  // namespace
}  // namespace tailwave
