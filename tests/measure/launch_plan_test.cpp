#include "measure/launch_plan.h"

#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "core/outcome.h"
#include "fakes/fake_device.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

struct NamedLaunch : LaunchSpec {
  explicit NamedLaunch(const std::string& name, const std::string& grid_x = "1") {
    kernel = name;
    grid.fill(Expression::parse("1"));
    block = grid;
    grid[0] = Expression::parse(grid_x);
  }
};

std::shared_ptr<LoopSpec> loop_of(const std::string& repeat, const std::string& counter = "step") {
  auto loop = std::make_shared<LoopSpec>();
  loop->repeat = Expression::parse(repeat);
  loop->counter = counter;
  return loop;
}

class LaunchPlan : public testing::Test {
 protected:
  std::vector<Launch> resolve(const std::vector<LaunchSpec>& plan) {
    return resolve_plan(plan, scope_, [this](const std::string& name) {
      return FoundBuffer{ScalarType::float64, name == "a" ? &a_ : &b_};
    });
  }

  // "move 2" for a launch with a grid of 2.
  std::vector<std::string> text_of(const std::vector<LaunchSpec>& plan) {
    std::vector<std::string> text;
    for (const Launch& launch : resolve(plan))
      text.push_back(launch.kernel + " " + std::to_string(launch.grid.x));
    return text;
  }

  std::string failure_of(const std::vector<LaunchSpec>& plan) {
    try {
      resolve(plan);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
      return failure.what();
    }
    return "";
  }

  fakes::FakeBuffer a_{8}, b_{8};
  Values scope_{{"N", std::int64_t{3}}};
};

TEST_F(LaunchPlan, PutsTheFieldsOfAStructWhereTheyBelong) {
  const auto number = [](const std::string& text, ScalarType type) {
    return ScalarArgument{Expression::parse(text), type};
  };
  NamedLaunch launch("move");
  launch.arguments = {StructArgument{
      {number("N", ScalarType::int8), BufferArgument{"b"}, number("N / 2", ScalarType::float16),
       StructArgument{{number("N", ScalarType::float32), number("0", ScalarType::float32)}, 8}}}};
  const StructBytes whole = std::get<StructBytes>(resolve({launch}).at(0).arguments.at(0));
  ASSERT_EQ(whole.bytes.size(), 32U);
  EXPECT_EQ(whole.bytes[0], std::byte{3});
  EXPECT_THAT(whole.addresses, ElementsAre(testing::Pair(8, &b_)));
  std::uint16_t half = 0;
  std::memcpy(&half, whole.bytes.data() + 16, sizeof half);
  EXPECT_EQ(half, 0x3E00);  // 1.5
  float three = 0;
  std::memcpy(&three, whole.bytes.data() + 24, sizeof three);
  EXPECT_EQ(three, 3.0F);
  FieldHasher one, other;
  add_resolved_plan(one, {launch}, scope_);
  std::get<StructArgument>(launch.arguments[0]).fields[1] = BufferArgument{"a"};
  add_resolved_plan(other, {launch}, scope_);
  EXPECT_NE(one.digest(), other.digest());
}

// Of a pointer into a buffer the bytes hold how far in, to which the address is added.
TEST_F(LaunchPlan, PassesBytesAndPointersIntoBuffers) {
  const auto whole_of = [&](const Argument& argument) {
    NamedLaunch launch("move");
    launch.arguments = {argument};
    return std::get<StructBytes>(resolve({launch}).at(0).arguments.at(0));
  };
  const auto first_of = [](const StructBytes& whole, std::size_t place) {
    std::int64_t number = 0;
    std::memcpy(&number, whole.bytes.data() + place, sizeof number);
    return number;
  };
  const BufferArgument second{"b", Expression::parse("N - 2")};
  const StructBytes pointer = whole_of(second);
  EXPECT_EQ(first_of(pointer, 0), 8);
  EXPECT_THAT(pointer.addresses, ElementsAre(testing::Pair(0, &b_)));
  const StructBytes bytes = whole_of(BytesArgument{{"\1\0\2", 3}});
  EXPECT_THAT(bytes.bytes, ElementsAre(std::byte{1}, std::byte{0}, std::byte{2}));
  const StructBytes whole =
      whole_of(StructArgument{{BytesArgument{"12345678"}, second, BytesArgument{"123"}}});
  EXPECT_EQ(whole.bytes.size(), 24U);
  EXPECT_EQ(whole.bytes[0], std::byte{'1'});
  EXPECT_EQ(first_of(whole, 8), 8);
  EXPECT_THAT(whole.addresses, ElementsAre(testing::Pair(8, &b_)));
  NamedLaunch beyond("move");
  beyond.arguments = {BufferArgument{"b", Expression::parse("N + 7")}};
  EXPECT_EQ(failure_of({beyond}), "offset in buffer 'b' is 10, expected 0 to 1");

  const auto digest_with = [&](const Argument& argument) {
    NamedLaunch launch("move");
    launch.arguments = {argument};
    FieldHasher hasher;
    add_resolved_plan(hasher, {launch}, scope_);
    return hasher.digest();
  };
  EXPECT_NE(digest_with(second), digest_with(BufferArgument{"b"}));
  EXPECT_NE(digest_with(BytesArgument{"a"}), digest_with(BytesArgument{"b"}));
}

TEST_F(LaunchPlan, EvaluatesTexturesAndTensorMaps) {
  const auto failure_with = [&](Argument argument) {
    NamedLaunch launch("move");
    launch.arguments = {std::move(argument)};
    return failure_of({launch});
  };
  EXPECT_EQ(failure_with(TextureArgument{"a", {Expression::parse("N")}, {}}),
            "argument of buffer 'a': a texture has no elements of float64");
  TensorMapArgument map{"a",  {Expression::parse("N - 2")}, {Expression::parse("N - 1")}, {}, {}, {}, {},
                        false};
  EXPECT_EQ(failure_with(map), "");
  map.dims = {Expression::parse("N")};
  EXPECT_EQ(failure_with(map),
            "argument of buffer 'a': the tensor reaches over 3 scalars, and the buffer has 1");
  map.dims = {Expression::parse("N / 2")};
  EXPECT_THAT(failure_with(map), testing::HasSubstr("argument of buffer 'a': "));
  map.dims = {Expression::parse("N - 2")};
  NamedLaunch launch("move");
  launch.arguments = {map};
  const auto view = std::get<TensorMapView>(resolve({launch}).at(0).arguments.at(0));
  EXPECT_EQ(view.buffer, &a_);
  EXPECT_EQ(view.shape, (TensorMapShape{.dims = {1}, .box = {2}}));
}

TEST_F(LaunchPlan, IsAnotherWithOtherViews) {
  const auto digest = [&](Argument argument) {
    NamedLaunch launch("move");
    launch.arguments = {std::move(argument)};
    FieldHasher hasher;
    add_resolved_plan(hasher, {launch}, scope_);
    return hasher.digest();
  };
  const auto three = Expression::parse("3");
  const TensorMapArgument map{"a", {three}, {three}, {}, {}, {}, {}, false};
  TensorMapArgument swizzled = map;
  swizzled.swizzle = Expression::parse("32");
  const std::set<std::string> digests{
      digest(TextureArgument{"a", {three}, {}}),
      digest(TextureArgument{"b", {three}, {}}),
      digest(TextureArgument{"a", {three, three}, {}}),
      digest(TextureArgument{"a", {three}, {.filter = TextureFilter::linear}}),
      digest(map),
      digest(swizzled)};
  EXPECT_EQ(digests.size(), 6U);
  EXPECT_EQ(digest(map),
            digest(TensorMapArgument{"a", {Expression::parse("N")}, {three}, {}, {}, {}, {}, false}));
}

TEST_F(LaunchPlan, RepeatsTheLaunchesOfALoopTogether) {
  NamedLaunch move("move", "step + 1"), turn("turn");
  move.loop = turn.loop = loop_of("N - 1");
  EXPECT_THAT(text_of({NamedLaunch("first"), move, turn, NamedLaunch("last", "N")}),
              ElementsAre("first 1", "move 1", "turn 1", "move 2", "turn 1", "last 3"));
}

TEST_F(LaunchPlan, KeepsNeighbouringLoopsApart) {
  NamedLaunch up("up"), down("down");
  up.loop = loop_of("2");
  down.loop = loop_of("2");
  EXPECT_THAT(text_of({up, down}), ElementsAre("up 1", "up 1", "down 1", "down 1"));
  down.loop = loop_of("0");
  EXPECT_THAT(text_of({up, down}), ElementsAre("up 1", "up 1"));
}

TEST_F(LaunchPlan, LeavesOutLaunchesWhoseConditionIsFalse) {
  NamedLaunch rebuild("rebuild", "1 // (1 - step % 2)"), move("move");
  rebuild.when = Expression::parse("step % 2 == 0");
  rebuild.loop = move.loop = loop_of("N");
  EXPECT_THAT(text_of({rebuild, move}), ElementsAre("rebuild 1", "move 1", "move 1", "rebuild 1", "move 1"));
}

TEST_F(LaunchPlan, ChoosesBuffersAndStreamsByTheCounter) {
  NamedLaunch move("move");
  move.arguments = {BufferChoice{{"a", "b"}, Expression::parse("step % 2")}, BufferArgument{"b"}};
  move.stream = Expression::parse("step");
  move.wait = {Expression::parse("step + 1"), Expression::parse("0")};
  move.loop = loop_of("2");
  const std::vector<Launch> launches = resolve({move});
  EXPECT_EQ(std::get<Buffer*>(launches.at(0).arguments.at(0)), &a_);
  EXPECT_EQ(std::get<Buffer*>(launches.at(1).arguments.at(0)), &b_);
  EXPECT_EQ(std::get<Buffer*>(launches.at(1).arguments.at(1)), &b_);
  EXPECT_EQ(launches.at(1).stream, 1);
  EXPECT_THAT(launches.at(1).wait, ElementsAre(2, 0));
}

TEST_F(LaunchPlan, GivesALaunchItsSms) {
  NamedLaunch move("move"), turn("turn");
  move.sms = Expression::parse("8 * step");
  move.loop = turn.loop = loop_of("2");
  const std::vector<Launch> launches = resolve({move, turn});
  EXPECT_EQ(launches.at(0).sms, 0);
  EXPECT_EQ(launches.at(1).sms, 0);
  EXPECT_EQ(launches.at(2).sms, 8);
  NamedLaunch part("part");
  part.sms = Expression::parse("N");
  const std::vector<LaunchRecord> shapes = launch_shapes({move, part}, scope_);
  EXPECT_EQ(shapes.at(0).sms_asked, std::nullopt);  // as it is the first time
  EXPECT_EQ(shapes.at(1).sms_asked, 3);
}

std::optional<std::array<Expression, 3>> cluster_of(const char* x) {
  return std::array{Expression::parse(x), Expression::parse("1"), Expression::parse("1")};
}

TEST_F(LaunchPlan, GivesALaunchItsAttributes) {
  NamedLaunch move("move", "12"), turn("turn");
  move.cluster = cluster_of("2 * (1 + step)");
  move.priority = Expression::parse("-step");
  move.dependent = Expression::parse("step > 0");
  move.loop = turn.loop = loop_of("2");
  const std::vector<Launch> launches = resolve({move, turn});
  EXPECT_EQ(launches.at(0).cluster, (Dim3{2}));
  EXPECT_FALSE(launches.at(0).dependent);
  EXPECT_EQ(launches.at(1).cluster, std::nullopt);
  EXPECT_EQ(launches.at(2).cluster, (Dim3{4}));
  EXPECT_TRUE(launches.at(2).dependent);
  EXPECT_EQ(launches.at(2).priority, -1);
  EXPECT_EQ(launch_shapes({move, turn}, scope_).at(0).cluster, (Dim3{2}));
}

TEST_F(LaunchPlan, RefusesAttributesThatNoLaunchCanHave) {
  NamedLaunch move("move", "N");
  move.cluster = cluster_of("2");
  EXPECT_EQ(failure_of({move}), "grid of 'move' is 3 x 1 x 1, no multiple of its cluster 2 x 1 x 1");
  move.cluster = cluster_of("N - 3");
  EXPECT_EQ(failure_of({move}), "cluster of 'move' is 0 x 1 x 1: every size must be at least 1");
  move.cluster.reset();
  move.priority = Expression::parse("N");
  EXPECT_EQ(failure_of({move}), "priority of 'move' is 3, expected -100 to 0");
  move.priority = Expression();
  move.dependent = Expression::parse("1 // (N - 3)");
  EXPECT_THAT(failure_of({move}), testing::HasSubstr("dependent of 'move' '1 // (N - 3)': '//' by zero"));
}

TEST_F(LaunchPlan, IsAnotherWithOtherAttributes) {
  const auto digest = [&](auto change) {
    NamedLaunch move("move", "4");
    change(move);
    FieldHasher hasher;
    add_resolved_plan(hasher, {move}, scope_);
    return hasher.digest();
  };
  const std::set<std::string> digests{
      digest([](LaunchSpec&) {}), digest([](LaunchSpec& move) { move.cluster = cluster_of("1"); }),
      digest([](LaunchSpec& move) { move.cluster = cluster_of("2"); }),
      digest([](LaunchSpec& move) { move.dependent = Expression::parse("true"); }),
      digest([](LaunchSpec& move) { move.priority = Expression::parse("-1"); })};
  EXPECT_EQ(digests.size(), 5U);
  EXPECT_EQ(digest([](LaunchSpec&) {}),
            digest([](LaunchSpec& move) { move.dependent = Expression::parse("N > 3"); }));
}

TEST_F(LaunchPlan, IsAnotherOnOtherSms) {
  const auto digest = [&](const char* sms) {
    NamedLaunch move("move");
    move.sms = Expression::parse(sms);
    FieldHasher hasher;
    add_resolved_plan(hasher, {move}, scope_);
    return hasher.digest();
  };
  EXPECT_NE(digest("8"), digest("16"));
  EXPECT_NE(digest("8"), digest("0"));
  EXPECT_EQ(digest("8"), digest("5 + N"));
}

TEST_F(LaunchPlan, IsAnotherWithAnotherEndOfACopyOrAPrefetch) {
  const auto digest = [&](const std::string& to, const std::string& prefetched, bool to_host) {
    NamedLaunch move("copy");
    if (!to.empty()) move.copied = "a", move.copied_to = to;
    move.prefetched = prefetched;
    move.to_host = to_host;
    FieldHasher hasher;
    add_resolved_plan(hasher, {move}, scope_);
    return hasher.digest();
  };
  EXPECT_NE(digest("b", "", false), digest("c", "", false));
  EXPECT_NE(digest("", "a", false), digest("", "a", true));
  EXPECT_NE(digest("", "a", true), digest("", "b", true));
}

TEST_F(LaunchPlan, LooksAtTheValueAfterEveryIteration) {
  NamedLaunch move("move"), turn("turn");
  const auto loop = loop_of("2");
  loop->until = LoopSpec::Until{"b", Expression::parse("N - step")};
  move.loop = turn.loop = loop;
  const std::vector<Launch> launches = resolve({move, turn, NamedLaunch("last")});
  ASSERT_EQ(launches.size(), 5U);
  EXPECT_FALSE(launches[0].exit);
  ASSERT_TRUE(launches[1].exit && launches[3].exit);
  EXPECT_EQ(launches[1].exit->buffer, &b_);
  EXPECT_EQ(launches[1].exit->type, ScalarType::float64);
  EXPECT_EQ(launches[1].exit->at_most, 3);
  EXPECT_EQ(launches[3].exit->at_most, 2);
  EXPECT_EQ(launches[1].exit->next, 4U);
  EXPECT_EQ(launches[3].exit->next, 4U);
  EXPECT_TRUE(may_end_early({move, turn}, {}));
  for (const char* often : {"0", "1"}) {
    loop->repeat = Expression::parse(often);
    EXPECT_FALSE(may_end_early({move, turn}, {})) << often;
  }
}

TEST_F(LaunchPlan, SaysWhatCannotBeEvaluated) {
  NamedLaunch move("move");
  move.stream = Expression::parse("30 + N");
  EXPECT_EQ(failure_of({move}), "stream of 'move' is 33, expected 0 to 31");
  move.stream = Expression();
  move.gpu = Expression::parse("N + 13");
  EXPECT_EQ(failure_of({move}), "gpu of 'move' is 16, expected 0 to 15");
  move = NamedLaunch("move");
  move.sms = Expression::parse("N - 4");
  EXPECT_EQ(failure_of({move}), "sms of 'move' is -1, expected 0 to 100000");
  move.sms = Expression::parse("8");
  move.gpu = Expression::parse("1");
  EXPECT_EQ(failure_of({move}),
            "sms of 'move' is 8, on GPU 1: only launches on the run's own GPU can have it");
  move = NamedLaunch("move");
  move.arguments = {BufferChoice{{"a", "b"}, Expression::parse("N")}};
  EXPECT_EQ(failure_of({move}), "index 'N' is 3, expected 0 to 1");
  move.arguments.clear();
  move.when = Expression::parse("1 // (N - 3)");
  EXPECT_EQ(failure_of({move}), "condition of 'move' '1 // (N - 3)': '//' by zero");
  move.when.reset();
  move.loop = loop_of("10000000");
  EXPECT_EQ(failure_of({move}), "repeat '10000000' is 10000000, expected 0 to 1000000");
  move.loop = loop_of("N - 5");
  EXPECT_EQ(failure_of({move}), "repeat 'N - 5' is -2, expected 0 to 1000000");
  move.loop = loop_of("1000000");
  EXPECT_EQ(failure_of({move, NamedLaunch("one_more")}), "the plan has more than 1000000 launches");
  EXPECT_EQ(failure_of({NamedLaunch("move", "N - 3")}),
            "grid of 'move' is 0 x 1 x 1: every size must be at least 1");
}

TEST_F(LaunchPlan, HasAShapeForEachLaunchThatTakesPlace) {
  NamedLaunch rebuild("rebuild", "step + 5"), move("move"), never("never");
  rebuild.when = Expression::parse("step > 0");
  never.when = Expression::parse("N > 3");
  rebuild.loop = move.loop = loop_of("N");
  std::vector<std::string> text;
  for (const LaunchRecord& shape : launch_shapes({never, rebuild, move}, scope_))
    text.push_back(std::to_string(shape.position) + " " + shape.kernel + " " + std::to_string(shape.grid.x) +
                   " x" + std::to_string(shape.count));
  EXPECT_THAT(text, ElementsAre("1 rebuild 6 x2", "2 move 1 x3"));
}

TEST_F(LaunchPlan, EachProcessingElementHasItsOwnNumberInExpressions) {
  VariantSpec variant;
  NamedLaunch own("own", "1 + PE"), first("first");
  first.when = Expression::parse("PE == 0 and PES == N");
  variant.launches = {own, first};
  EXPECT_EQ(evaluate_pes(variant, scope_), 0);
  variant.pes = Expression::parse("N");
  EXPECT_EQ(evaluate_pes(variant, scope_), 3);
  std::vector<std::string> text;
  for (int pe = 0; pe < 2; ++pe) {
    scope_ = scope_of_pe(variant, {{"N", std::int64_t{3}}}, pe);
    for (const std::string& launch : text_of(variant.launches)) text.push_back(launch);
  }
  EXPECT_THAT(text, ElementsAre("own 1", "first 1", "own 2"));
}

TEST_F(LaunchPlan, SumsASymmetricBufferAsACollective) {
  NamedLaunch sum("sum");
  sum.collective = Collective::sum;
  sum.summed = "b";
  const std::vector<Launch> launches = resolve({sum});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].summed, &b_);
  EXPECT_EQ(launches[0].summed_type, ScalarType::float64);
  EXPECT_FALSE(launches[0].is_kernel());
  EXPECT_TRUE(launch_shapes({sum}, scope_).empty());
}

}  // namespace
}  // namespace tailwave
