// Records of a repetition as the processes exchange them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "measure/repetition.h"
#include "measure/trouble.h"

namespace tailwave {
namespace {

TEST(RepetitionWire, CarriesAllThatAWorkerIsAskedFor) {
  const System first = fakes::trouble_system({"twice"}), second = fakes::trouble_system({"twice"});
  const std::vector<const System*> systems{&first, &second};
  Repetition wanted = fakes::repetition_of(second, "twice", 42);
  wanted.artifact.file = "/cache/a.cubin";
  wanted.settings = {.mode = TimingMode::graph,
                     .cache = CacheState::rotate,
                     .samples = 1,
                     .max_samples = 2,
                     .precision = 3,
                     .warmup = 4,
                     .repetitions = 5,
                     .time_cap_s = 6,
                     .batch_ms = 7,
                     .race = 8,
                     .give_up = 13,
                     .deadline_s = 9};
  wanted.repetition = 10;
  wanted.race_to_ns = 11;
  wanted.give_up_ns = 12;
  wanted.steps = {{.draw = 3, .timed = true, .looked_at = false},
                  {.draw = 4, .timed = false, .looked_at = true}};
  wanted.results = {"x", "y"};
  wanted.verifier = true;
  wanted.asks_driver = true;
  wanted.places_anew = true;
  Packet packet;
  put(packet, wanted, systems);
  const Repetition back = take_repetition(packet, systems);
  EXPECT_EQ(back.number, 42U);
  EXPECT_EQ(back.system, &second);
  EXPECT_EQ(back.configuration.name(), wanted.configuration.name());
  EXPECT_EQ(back.configuration.system, wanted.configuration.system);
  EXPECT_EQ(back.configuration.problem, wanted.configuration.problem);
  EXPECT_EQ(back.artifact.file, "/cache/a.cubin");
  EXPECT_EQ(back.settings.mode, TimingMode::graph);
  EXPECT_EQ(back.settings.cache, CacheState::rotate);
  EXPECT_EQ(back.settings.samples, 1);
  EXPECT_EQ(back.settings.max_samples, 2);
  EXPECT_EQ(back.settings.precision, 3);
  EXPECT_EQ(back.settings.warmup, 4);
  EXPECT_EQ(back.settings.repetitions, 5);
  EXPECT_EQ(back.settings.time_cap_s, 6);
  EXPECT_EQ(back.settings.batch_ms, 7);
  EXPECT_EQ(back.settings.race, 8);
  EXPECT_EQ(back.settings.give_up, 13);
  EXPECT_EQ(back.settings.deadline_s, 9);
  EXPECT_EQ(back.repetition, 10);
  EXPECT_EQ(back.race_to_ns, 11);
  EXPECT_EQ(back.give_up_ns, 12);
  ASSERT_EQ(back.steps.size(), 2U);
  EXPECT_EQ(back.steps[0].draw, 3U);
  EXPECT_TRUE(back.steps[0].timed);
  EXPECT_FALSE(back.steps[0].looked_at);
  EXPECT_EQ(back.steps[1].draw, 4U);
  EXPECT_FALSE(back.steps[1].timed);
  EXPECT_TRUE(back.steps[1].looked_at);
  EXPECT_EQ(back.results, wanted.results);
  EXPECT_TRUE(back.verifier);
  EXPECT_TRUE(back.asks_driver);
  EXPECT_TRUE(back.places_anew);
  EXPECT_FALSE(back.fresh_data);
}

TEST(RepetitionWire, RefusesASystemThatTheWorkerDoesNotHave) {
  const System system = fakes::trouble_system({"twice"});
  const std::vector<const System*> systems{&system};
  Packet packet;
  put(packet, fakes::repetition_of(system, "twice"), systems);
  try {
    take_repetition(packet, {});
    FAIL() << "taken";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "a system that the worker does not have");
  }
}

TEST(RepetitionWire, CarriesAllThatCameOfIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor here(ends[0]), there(ends[1]);
  RepetitionResult result;
  result.outcome = Outcome::illegal_access;
  result.detail = "stray";
  result.blocks_per_sm = {3, std::nullopt};
  Look& look = result.looks.emplace_back();
  look.contents["small"] = Blob(std::vector<std::byte>(5, std::byte{1}));
  look.contents["large"] = Blob::shared(10'000);
  look.damage = "damaged";
  look.examined = true;
  look.passed = false;
  result.looks.emplace_back();
  Sample& sample = result.samples.emplace_back();
  sample.repetition = 1;
  sample.position = 2;
  sample.time_ns = 3;
  sample.executions = 4;
  sample.dropped = "throttled";
  sample.sm_clock_mhz = 5;
  sample.throttle_reasons = "none";
  sample.other_processes = 2;
  result.stopped_by = "precision";
  result.fresh_ns = 6;
  result.phases.load = 7;
  result.phases.verify = 8;
  result.phases.measure = 9;
  Packet packet;
  send(there.number(), packet << result);
  packet = *receive(here.number());
  const auto back = take<RepetitionResult>(packet);
  EXPECT_EQ(back.outcome, Outcome::illegal_access);
  EXPECT_EQ(back.detail, "stray");
  EXPECT_EQ(back.blocks_per_sm, result.blocks_per_sm);
  ASSERT_EQ(back.looks.size(), 2U);
  EXPECT_THAT(back.looks[0].contents.at("small").bytes(),
              testing::ElementsAreArray(std::vector<std::byte>(5, std::byte{1})));
  EXPECT_EQ(back.looks[0].contents.at("large").bytes().size(), 10'000U);
  EXPECT_EQ(back.looks[0].damage, "damaged");
  EXPECT_TRUE(back.looks[0].examined);
  EXPECT_FALSE(back.looks[0].passed);
  EXPECT_TRUE(back.looks[1].contents.empty());
  EXPECT_FALSE(back.looks[1].examined);
  EXPECT_TRUE(back.looks[1].passed);
  ASSERT_EQ(back.samples.size(), 1U);
  EXPECT_EQ(back.samples[0].repetition, 1);
  EXPECT_EQ(back.samples[0].position, 2);
  EXPECT_EQ(back.samples[0].time_ns, 3);
  EXPECT_EQ(back.samples[0].executions, 4);
  EXPECT_EQ(back.samples[0].dropped, "throttled");
  EXPECT_EQ(back.samples[0].sm_clock_mhz, 5);
  EXPECT_EQ(back.samples[0].temperature_c, std::nullopt);
  EXPECT_EQ(back.samples[0].throttle_reasons, "none");
  EXPECT_EQ(back.samples[0].other_processes, 2);
  EXPECT_EQ(back.stopped_by, "precision");
  EXPECT_EQ(back.fresh_ns, 6);
  EXPECT_EQ(back.phases.load, 7);
  EXPECT_EQ(back.phases.verify, 8);
  EXPECT_EQ(back.phases.measure, 9);
}

}  // namespace
}  // namespace tailwave
