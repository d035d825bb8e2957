// Buffers that functions of the host fill.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "core/error.h"
#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"
#include "measure/input_maker.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

// "x" is filled by make(x, N, LAST), which writes N + LAST everywhere; "twice" doubles it, as the reference does.
class MadeInputsTest : public testing::Test {
 protected:
  MadeInputsTest() {
    Fill& fill = system_.buffers.at("x").fill;
    fill = {.kind = Fill::Kind::function};
    fill.function = "make";
    VariantSpec maker{.target = VariantSpec::Target::host, .name = maker_of("x")};
    LaunchSpec call;
    call.kernel = "make";
    call.grid.fill(Expression::constant(std::int64_t{1}));
    call.block = call.grid;
    call.arguments = {BufferArgument{"x"}, ScalarArgument{Expression::parse("N"), ScalarType::int32}};
    maker.launches = {call};
    system_.makers = {maker};
    device_.kernels["make"] = [this](const Launch& launch) {
      ++calls_;
      std::int32_t n = 0;
      std::memcpy(&n, std::get<ScalarBytes>(launch.arguments.at(1)).bytes.data(), sizeof n);
      fakes::FakeBuffer& x = fakes::FakeExecutor::buffer_argument(launch, 0);
      EXPECT_TRUE(std::isnan(x.floats()[0])) << "it begins poisoned";
      for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] = static_cast<float>(n);
    };
    device_.kernels["host_twice"] = [this](const Launch& launch) {
      seen_ = fakes::FakeExecutor::buffer_argument(launch, 0).floats()[0];
    };
    worker_.set_inputs([this](Repetition& repetition) { maker_.complete(repetition); });
  }

  ReferenceTools tools() {
    return {.host_compiler = &host_, .cpu = &worker_, .kept = ReferenceCache(folder_.path() / "kept")};
  }
  [[nodiscard]] Repetition repetition(std::int64_t n) {
    return {.number = worker_.new_number(),
            .system = &system_,
            .configuration = {"twice", "host_twice", {}, {{"N", n}}},
            .artifact = {},
            .settings = {},
            .steps = {{.draw = 0, .looked_at = true}},
            .results = {"x"}};
  }
  float seen_by(Repetition wanted) {
    worker_.begin(std::move(wanted));
    const RepetitionResult result = worker_.finish();
    EXPECT_EQ(result.outcome, Outcome::correct) << result.detail;
    return seen_;
  }

  const ScratchFolder folder_;
  System system_ = fakes::twice_experiment({std::int64_t{32}}).system;
  fakes::FakeCompiler host_;
  fakes::FakeExecutor device_{DeviceKind::cpu};
  fakes::LocalWorker worker_{device_};
  InputMaker maker_{tools()};
  int calls_ = 0;
  float seen_ = 0;
};

TEST_F(MadeInputsTest, AreMadeOnceForEachProblem) {
  EXPECT_EQ(seen_by(repetition(64)), 64);
  EXPECT_EQ(seen_by(repetition(64)), 64);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(seen_by(repetition(32)), 32);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(seen_by(repetition(64)), 64);
  EXPECT_EQ(calls_, 2);
}

TEST_F(MadeInputsTest, AreMadeForOtherProblemsOfTheSameRepetition) {
  Repetition wanted = repetition(64);
  wanted.steps.insert(wanted.steps.begin(),
                      {.draw = 0, .looked_at = true, .problem = {{"N", std::int64_t{8}}}, .results = {"x"}});
  maker_.complete(wanted);
  EXPECT_EQ(wanted.inputs.at("x").contents.bytes().size(), 64 * sizeof(float));
  EXPECT_EQ(wanted.steps.front().inputs.at("x").contents.bytes().size(), 8 * sizeof(float));
  EXPECT_NE(wanted.inputs.at("x").key, wanted.steps.front().inputs.at("x").key);
  EXPECT_EQ(seen_by(wanted), 64);
}

TEST_F(MadeInputsTest, AreKeptOnDisk) {
  seen_by(repetition(64));
  InputMaker another(tools());
  Repetition wanted = repetition(64);
  another.complete(wanted);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(wanted.inputs.at("x").contents.bytes().size(), 64 * sizeof(float));
}

TEST_F(MadeInputsTest, EndTheRunWhereTheFunctionFails) {
  device_.kernels["make"] = [](const Launch& /*launch*/) { throw Failure(Outcome::crashed, "no memory"); };
  Repetition wanted = repetition(64);
  try {
    maker_.complete(wanted);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/buffers/x/fill: make(), which fills the buffer 'x', does not run\n"
                                        "  crashed: no memory"));
  }
}

TEST_F(MadeInputsTest, AreNoneOfAFunctionThatFillsAnotherType) {
  system_.directory = folder_.path();
  system_.makers.front().source =
      folder_.write("make.cpp", "extern \"C\" void make(double* x, int n) { x[0] = n; }\n");
  Repetition wanted = repetition(64);
  try {
    maker_.complete(wanted);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("/buffers/x/fill: argument 1 of 'make' is the buffer 'x' of float32; the "
                          "parameter is 'double* x'"));
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(MadeInputsTest, AreMissedWhereNobodyMakesThem) {
  worker_.set_inputs({});
  worker_.begin(repetition(64));
  const RepetitionResult result = worker_.finish();
  EXPECT_EQ(result.outcome, Outcome::launch_failed);
  EXPECT_EQ(result.detail, "nothing was made to fill the buffer 'x' with");
}

}  // namespace
}  // namespace tailwave
