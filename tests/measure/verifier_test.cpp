#include "measure/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>

#include "core/error.h"
#include "core/sandbox.h"
#include "device/shared_memory.h"
#include "fakes/strays.h"
#include "measure/trouble.h"
#include "measure/worker.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using Answer = Examiner::Answer;

// What the verifier's process does, seen in the test's.
struct Deeds {
  std::atomic<int> prepared{0}, kept{0}, compared{0}, forgotten{0};
};

// Compares the bytes of a handle with as many of what is expected, and goes wrong where a handle or a key says so.
class ByteComparer final : public Comparer {
 public:
  explicit ByteComparer(Deeds& deeds) : deeds_(deeds) {}

  void prepare(const std::vector<Kind>& kinds) override { deeds_.prepared += static_cast<int>(kinds.size()); }
  void keep(const std::string& key, std::span<const std::byte> contents) override {
    if (key == "die") std::raise(SIGKILL);
    if (key == "too much" || (key == "much" && kept_.size() > 1))
      throw Failure(Outcome::out_of_memory, "no room for what is expected");
    ++deeds_.kept;
    kept_[key].assign(contents.begin(), contents.end());
  }
  void keep_only(const std::vector<std::string>& keys) override {
    std::erase_if(
        kept_, [&](const auto& one) { return std::find(keys.begin(), keys.end(), one.first) == keys.end(); });
  }
  std::vector<Found> compare(std::span<const Pair> pairs) override {
    ++deeds_.compared;
    std::vector<Found> found;
    for (const Pair& pair : pairs) {
      const std::string handle(reinterpret_cast<const char*>(pair.handle.data()), pair.handle.size());
      if (handle == "die") std::raise(SIGKILL);
      if (handle == "throw") throw Failure(Outcome::launch_failed, "the memory cannot be opened");
      Found& one = found.emplace_back();
      one.verification.norm = to_string(pair.comparison.norm);
      one.verification.tolerance = pair.comparison.tolerance;
      one.verification.detail = std::to_string(pair.size_bytes) + " bytes";
      if (pair.expected.empty()) {
        one.verification.passed = true;
      } else {
        const std::vector<std::byte>& expected = kept_.at(pair.expected);
        one.verification.passed = std::equal(pair.handle.begin(), pair.handle.end(), expected.begin());
      }
      if (handle == "damaged") one.damage = "1 byte past the end";
    }
    return found;
  }
  void forget() override { ++deeds_.forgotten; }

 private:
  Deeds& deeds_;
  std::map<std::string, std::vector<std::byte>> kept_;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Expectation expect_text(const std::string& buffer, const std::string& key) {
  return {buffer, ScalarType::int32, {.norm = Comparison::Norm::exact, .tolerance = 0.5}, key};
}

Verifier::Contents contents_of(const std::map<std::string, std::string>& texts) {
  Verifier::Contents contents;
  for (const auto& [key, text] : texts) {
    Blob blob = Blob::shared(text.size());
    std::copy_n(bytes_of(text).begin(), text.size(), blob.writable().begin());
    contents[key] = blob;
  }
  return contents;
}

Examiner::Shared shared(const std::string& buffer, const std::string& handle) {
  return {buffer, bytes_of(handle), 100};
}

class VerifierTest : public testing::Test {
 protected:
  bool expect(std::uint64_t number, const std::string& key, const std::string& contents) {
    return verifier_.expect(number, {{expect_text("x", key)}}, contents_of({{key, contents}}));
  }
  Answer examine(std::uint64_t number, const std::string& handle, std::size_t look = 0) {
    return examiner_->examine(number, look, {shared("x", handle)});
  }

  SharedMemory memory_{sizeof(Deeds)};
  Deeds& deeds_{*new (memory_.bytes().data()) Deeds};
  Verifier verifier_{[&deeds = deeds_] { return std::make_unique<ByteComparer>(deeds); }};
  std::unique_ptr<Examiner> examiner_ = verifier_.examiner()();  // what a worker's process has
};

TEST_F(VerifierTest, ComparesWithWhatIsExpectedAndTellsWhoAsks) {
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  const auto found = verifier_.take(1, 0);
  ASSERT_TRUE(found);
  ASSERT_THAT(found->verifications, SizeIs(1));
  const Verification& verification = found->verifications.front();
  EXPECT_EQ(verification.buffer, "x");
  EXPECT_EQ(verification.phase, "");
  EXPECT_EQ(verification.norm, "exact");
  EXPECT_EQ(verification.tolerance, 0.5);
  EXPECT_EQ(verification.detail, "100 bytes");
  EXPECT_TRUE(verification.passed);
  EXPECT_EQ(found->damage, "");
  EXPECT_EQ(verifier_.obstacle(), "");
  EXPECT_EQ(verifier_.take(1, 0), std::nullopt);  // it is taken once
}

// It may send no signal to the verifier, by which an examiner sees whether that is there.
TEST_F(VerifierTest, ComparesForAProcessThatIsConfined) {
  if (!sandbox_gap().empty()) GTEST_SKIP() << "it may send signals: " << sandbox_gap();
  ASSERT_TRUE(expect(1, "key", "right"));
  const pid_t worker = fork();
  if (worker == 0) {
    set_sandbox(Confined::device_code, {});
    enter_sandbox(Confined::device_code);
    _exit(examine(1, "right") == Answer::passed ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(worker, &status, 0), worker);
  EXPECT_EQ(status, 0);
}

TEST_F(VerifierTest, TellsWhatFailedAndWhichGuardsAreDamaged) {
  ASSERT_TRUE(
      verifier_.expect(1, {{expect_text("x", "key"), expect_text("y", "other")}, {expect_text("y", "other")}},
                       contents_of({{"key", "right"}, {"other", "damaged"}})));
  EXPECT_EQ(examine(1, "wrong"), Answer::failed);
  EXPECT_EQ(examiner_->examine(1, 1, {shared("y", "damaged")}), Answer::failed);
  const auto first = verifier_.take(1, 0), second = verifier_.take(1, 1);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->verifications.at(0).passed);
  EXPECT_EQ(first->damage, "");
  EXPECT_TRUE(second->verifications.at(0).passed);
  EXPECT_EQ(second->damage, "guard words of buffer 'y' overwritten: 1 byte past the end");
}

TEST_F(VerifierTest, ComparesSeveralBuffersAtOnceAndARangeWithNothing) {
  Expectation range = expect_text("range", "");
  range.comparison.norm = Comparison::Norm::range;
  ASSERT_TRUE(verifier_.expect(1, {{expect_text("x", "key"), range}}, contents_of({{"key", "right"}})));
  EXPECT_EQ(examiner_->examine(1, 0, {shared("range", "any"), shared("x", "right")}), Answer::passed);
  const auto found = verifier_.take(1, 0);
  ASSERT_TRUE(found);
  ASSERT_THAT(found->verifications, SizeIs(2));
  EXPECT_EQ(found->verifications[0].buffer, "range");
  EXPECT_EQ(found->verifications[0].norm, "range");
  EXPECT_EQ(found->verifications[1].buffer, "x");
  EXPECT_EQ(deeds_.compared, 1);
  EXPECT_EQ(deeds_.kept, 1);
}

TEST_F(VerifierTest, CannotLookAtWhatNobodyExpects) {
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(2, "right"), Answer::cannot_look);
  EXPECT_EQ(examiner_->examine(1, 0, {shared("unheard of", "right")}), Answer::cannot_look);
  EXPECT_EQ(verifier_.take(2, 0), std::nullopt);
  EXPECT_EQ(verifier_.take(1, 0), std::nullopt);
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  EXPECT_EQ(verifier_.obstacle(), "");
}

// N + 1 begins while N is under way, perhaps of a variant that leaves another buffer.
TEST_F(VerifierTest, StillLooksAtAnEarlierRepetitionWhenOtherContentsAreExpectedOfTheNext) {
  const Verifier::Contents both = contents_of({{"key", "right"}, {"other", "left"}});
  ASSERT_TRUE(verifier_.expect(1, {{expect_text("x", "key")}}, both));
  ASSERT_TRUE(verifier_.expect(2, {{expect_text("x", "other")}}, both));
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  EXPECT_EQ(examine(2, "left"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 2);
}

TEST_F(VerifierTest, CannotLookBeforeAnythingIsExpected) {
  EXPECT_EQ(examine(1, "right"), Answer::cannot_look);
  examiner_->forget();
  EXPECT_EQ(verifier_.take(1, 0), std::nullopt);
  EXPECT_EQ(deeds_.forgotten, 0);
}

TEST_F(VerifierTest, IsToldOnceWhatIsExpectedAgain) {
  ASSERT_TRUE(expect(1, "key", "right"));
  ASSERT_TRUE(expect(2, "key", "right"));
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  EXPECT_EQ(examine(2, "right"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 1);
  ASSERT_TRUE(expect(3, "other", "left"));
  EXPECT_EQ(examine(3, "left"), Answer::passed);
  ASSERT_TRUE(expect(4, "key", "right"));  // which had to make room
  EXPECT_EQ(examine(4, "right"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 3);
  for (const std::uint64_t number : {1U, 2U, 3U, 4U}) EXPECT_TRUE(verifier_.take(number, 0)) << number;
}

TEST_F(VerifierTest, KeepsWhatEarlierProblemsExpectWhereThereIsRoom) {
  verifier_.keep_at_most(std::strlen("right") + std::strlen("left"));
  ASSERT_TRUE(expect(1, "key", "right"));
  ASSERT_TRUE(expect(2, "other", "left"));
  ASSERT_TRUE(expect(3, "key", "right"));
  EXPECT_EQ(examine(3, "right"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 2);
  ASSERT_TRUE(expect(4, "third", "new"));  // "left" was not wanted the longest
  ASSERT_TRUE(expect(5, "key", "right"));
  EXPECT_EQ(examine(5, "right"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 3);
  ASSERT_TRUE(expect(6, "other", "left"));
  EXPECT_EQ(examine(6, "left"), Answer::passed);
  EXPECT_EQ(deeds_.kept, 4);
}

TEST_F(VerifierTest, MakesRoomForWhatIsExpectedNow) {
  verifier_.keep_at_most(100);
  ASSERT_TRUE(expect(1, "key", "right"));
  ASSERT_TRUE(expect(2, "other", "left"));
  ASSERT_TRUE(expect(3, "much", "new"));
  EXPECT_EQ(examine(3, "new"), Answer::passed);
  EXPECT_EQ(verifier_.obstacle(), "");
  ASSERT_TRUE(expect(4, "key", "right"));  // which is not there any more
  EXPECT_EQ(examine(4, "right"), Answer::cannot_look);
}

TEST_F(VerifierTest, ForgetsSharedMemoryWhenAsked) {
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  examiner_->forget();
  EXPECT_EQ(deeds_.forgotten, 1);  // it has happened when the call returns
}

TEST_F(VerifierTest, PreparesComparisonsBeforeAnythingIsExpected) {
  EXPECT_TRUE(verifier_.start(
      {{Comparison::Norm::exact, ScalarType::int32}, {Comparison::Norm::max_abs, ScalarType::float64}}));
  EXPECT_TRUE(fakes::comes_true([&] { return deeds_.prepared == 2; }));
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  EXPECT_EQ(deeds_.prepared, 2);
}

// The memory of a worker that has died cannot be opened.
TEST_F(VerifierTest, CannotLookWhereAComparisonThrowsAndGoesOn) {
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(1, "throw"), Answer::cannot_look);
  EXPECT_EQ(verifier_.obstacle(), "");
  EXPECT_EQ(examine(1, "right"), Answer::passed);
  EXPECT_TRUE(verifier_.take(1, 0));
}

TEST_F(VerifierTest, ComparesNothingWhenWhatIsExpectedCannotBeKept) {
  ASSERT_TRUE(expect(1, "too much", "right"));
  EXPECT_EQ(examine(1, "right"), Answer::cannot_look);
  EXPECT_EQ(verifier_.obstacle(), "no room for what is expected");
  EXPECT_FALSE(expect(2, "key", "right"));
}

TEST(Verifier, ComparesNothingWhereItCannotOpenTheDevice) {
  Verifier verifier([]() -> std::unique_ptr<Comparer> { throw Error("no device here"); });
  const auto examiner = verifier.examiner()();
  verifier.expect(1, {{expect_text("x", "key")}}, contents_of({{"key", "right"}}));
  EXPECT_EQ(examiner->examine(1, 0, {shared("x", "right")}), Answer::cannot_look);
  EXPECT_EQ(verifier.obstacle(), "no device here");
  EXPECT_FALSE(verifier.expect(2, {{expect_text("x", "key")}}, contents_of({{"key", "right"}})));
  EXPECT_EQ(verifier.take(1, 0), std::nullopt);
}

TEST_F(VerifierTest, IsReplacedAfterItDied) {
  ASSERT_TRUE(expect(1, "key", "right"));
  EXPECT_EQ(examine(1, "die"), Answer::cannot_look);
  try {
    verifier_.take(1, 0);
    FAIL() << "taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::crashed);
    EXPECT_STREQ(failure.what(), "the process that compares results on the device was lost");
  }
  EXPECT_EQ(verifier_.take(1, 0), std::nullopt);
  ASSERT_TRUE(expect(2, "key", "right"));
  EXPECT_EQ(examine(2, "right"), Answer::passed);
  EXPECT_TRUE(verifier_.take(2, 0));
}

TEST_F(VerifierTest, IsReplacedAfterItDiedOfWhatIsExpected) {
  expect(1, "die", "right");
  EXPECT_EQ(examine(1, "right"), Answer::cannot_look);
  EXPECT_EQ(verifier_.obstacle(), "");  // it does not throw
  ASSERT_TRUE(expect(2, "key", "right"));
  EXPECT_EQ(examine(2, "right"), Answer::passed);
}

// A device whose handles are the first bytes of a buffer.
class SharingExecutor final : public fakes::FakeExecutor {
 public:
  SharingExecutor() {
    for (const auto& [name, factor] : {std::pair("twice", 2.0F), std::pair("thrice", 3.0F)})
      kernels[name] = [factor = factor](const Launch& launch) {
        fakes::TroubleExecutor::multiply(launch, factor);
      };
    kernels["overrun"] = [](const Launch& launch) {
      fakes::TroubleExecutor::multiply(launch, 2);
      auto& buffer = buffer_argument(launch, 0);
      buffer.bytes.at(buffer.size_bytes()) = std::byte{0};
    };
  }
  [[nodiscard]] std::vector<std::byte> share(const Buffer& buffer) override {
    const auto& bytes = dynamic_cast<const fakes::FakeBuffer&>(buffer).bytes;
    return {bytes.begin(), bytes.begin() + 8};
  }
};

// A worker and a verifier of one device.
class VerifiedWorkerTest : public VerifierTest {
 protected:
  static constexpr std::int64_t kCount = 1 << 20;  // as many floats as are compared where they are

  // Two looks at what the variant leaves, with samples between them.
  RepetitionResult result_of(const std::string& variant, std::uint64_t expected_number) {
    Repetition wanted = fakes::repetition_of(system_, variant, ++number_, kCount);
    wanted.verifier = true;
    wanted.settings.samples = 2;
    wanted.settings.precision = 0;
    wanted.steps = {{.looked_at = true}, {.timed = true}, {.draw = 1, .looked_at = true}};
    const std::vector<float> twos(kCount, 2);
    const auto bytes = std::as_bytes(std::span(twos));
    const Expectation expectation = expect_text("x", "twos");
    verifier_.expect(expected_number, {{expectation}, {expectation}},
                     {{"twos", Blob(std::vector<std::byte>(bytes.begin(), bytes.end()))}});
    worker_.begin(wanted);
    return worker_.finish();
  }

  System system_ = fakes::trouble_system({"twice", "thrice", "overrun"});
  ProcessWorker worker_{{.device = [] { return std::make_unique<SharingExecutor>(); },
                         .systems = {&system_},
                         .examiner = verifier_.examiner()}};
  std::uint64_t number_ = 0;
};

TEST_F(VerifiedWorkerTest, LeavesLargeResultsWhereTheyAre) {
  const RepetitionResult result = result_of("twice", 1);
  EXPECT_EQ(result.outcome, Outcome::correct) << result.detail;
  ASSERT_THAT(result.looks, SizeIs(2));
  for (std::size_t look = 0; look < 2; ++look) {
    EXPECT_TRUE(result.looks[look].examined);
    EXPECT_TRUE(result.looks[look].passed);
    EXPECT_THAT(result.looks[look].contents, SizeIs(0));
    const auto found = verifier_.take(1, look);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->verifications.at(0).passed);
  }
  EXPECT_THAT(result.samples, SizeIs(2));
}

TEST_F(VerifiedWorkerTest, EndsTheRepetitionWithAComparisonThatFails) {
  const RepetitionResult result = result_of("thrice", 1);
  ASSERT_THAT(result.looks, SizeIs(1));
  EXPECT_TRUE(result.looks[0].examined);
  EXPECT_FALSE(result.looks[0].passed);
  EXPECT_THAT(result.samples, SizeIs(0));
  const auto found = verifier_.take(1, 0);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->verifications.at(0).passed);
}

TEST_F(VerifiedWorkerTest, EndsTheRepetitionWithDamagedGuards) {
  const RepetitionResult result = result_of("overrun", 1);
  ASSERT_THAT(result.looks, SizeIs(1));
  EXPECT_EQ(result.looks[0].damage, "guard words of buffer 'x' overwritten: 1 byte past the end");
  EXPECT_THAT(result.samples, SizeIs(0));
}

TEST_F(VerifiedWorkerTest, HandsContentsOverWhereNobodyKnowsTheRepetition) {
  const RepetitionResult result = result_of("twice", 17);
  ASSERT_THAT(result.looks, SizeIs(2));
  EXPECT_FALSE(result.looks[0].examined);
  EXPECT_EQ(fakes::first_of(result), 2);
  EXPECT_EQ(result.looks[0].contents.at("x").bytes().size(), kCount * sizeof(float));
  EXPECT_EQ(deeds_.compared, 0);
}

TEST_F(VerifiedWorkerTest, GivesUpSharedMemoryBeforeItGoes) {
  EXPECT_EQ(result_of("twice", 1).outcome, Outcome::correct);
  worker_.begin(fakes::repetition_of(system_, "twice", ++number_, 64));
  EXPECT_EQ(worker_.finish().outcome, Outcome::correct);
  EXPECT_EQ(deeds_.forgotten, 1);
  EXPECT_EQ(result_of("twice", 3).outcome, Outcome::correct);
  worker_.rest();
  EXPECT_EQ(deeds_.forgotten, 2);
}

TEST_F(VerifiedWorkerTest, LivesOnWhenAWorkerDies) {
  EXPECT_EQ(result_of("twice", 1).outcome, Outcome::correct);
  ASSERT_EQ(kill(worker_.process(), SIGKILL), 0);
  ASSERT_TRUE(fakes::comes_true([&, before = worker_.process()] { return !fakes::is_running(before); }));
  const RepetitionResult result = result_of("twice", 2);
  ASSERT_THAT(result.looks, SizeIs(2));
  EXPECT_TRUE(result.looks[1].examined);
  EXPECT_EQ(deeds_.kept, 1);
}

}  // namespace
}  // namespace tailwave
