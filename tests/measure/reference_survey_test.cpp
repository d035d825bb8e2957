#include "measure/reference_survey.h"

#include <gmock/gmock.h>

#include <cstring>
#include <limits>

#include "measure/inputs.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kElements = 100;

class ReferenceSurveyTest : public testing::Test {
 protected:
  ReferenceSurveyTest() {
    for (const char* name : {"x", "out", "mark"}) system_.buffers[name].count = Expression::parse("N");
    system_.buffers["x"].fill = {.kind = Fill::Kind::uniform, .low = 1, .high = 2, .seed = 5};
    system_.buffers["out"].output_only = true;
    system_.buffers["mark"].type = ScalarType::int32;
    system_.buffers["mark"].output_only = true;
  }

  [[nodiscard]] std::vector<std::byte> input(std::uint64_t draw) const {
    return make_input(system_.buffers.at("x"), kElements, draw);
  }
  // What nothing has written.
  [[nodiscard]] std::vector<std::byte> untouched(const std::string& name, std::uint64_t draw) const {
    return std::vector<std::byte>(kElements * 4, *uniform_byte(system_.buffers.at(name), draw));
  }
  template <class Number>
  static void set(std::vector<std::byte>& bytes, std::size_t index, Number number) {
    std::memcpy(bytes.data() + index * sizeof number, &number, sizeof number);
  }
  [[nodiscard]] ReferenceSurvey survey(const std::string& name, std::vector<std::byte> first,
                                       std::vector<std::byte> second) const {
    return survey_reference(system_, {{"N", std::int64_t{kElements}}}, {name}, 8,
                            {{name, Blob(std::move(first))}}, {{name, Blob(std::move(second))}});
  }
  // Of results that depend on the inputs.
  [[nodiscard]] std::vector<std::byte> doubled(std::uint64_t draw) const {
    std::vector<std::byte> bytes = input(draw);
    for (std::size_t i = 0; i < kElements; ++i) {
      float number = 0;
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      set(bytes, i, 2 * number);
    }
    return bytes;
  }

  System system_;
};

TEST_F(ReferenceSurveyTest, HasNothingToSayOfResultsThatDependOnTheInputs) {
  const ReferenceSurvey found = survey("out", doubled(8), doubled(9));
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_FALSE(found.is_constant);
  EXPECT_EQ(found.written_bytes, 400);
}

TEST_F(ReferenceSurveyTest, TellsWhatTheReferenceLeavesUnwritten) {
  std::vector<std::byte> first = untouched("mark", 8), second = untouched("mark", 9);
  for (std::size_t i = 0; i < 40; ++i) {
    set(first, i, static_cast<int>(i));
    set(second, i, -1);  // also what an untouched element of the first draw is
  }
  const ReferenceSurvey found = survey("mark", first, second);
  EXPECT_THAT(found.remarks,
              ElementsAre("the reference leaves 60 of 100 elements of 'mark' unwritten, from element 40 "
                          "on, and so has to every variant"));
  EXPECT_EQ(found.written_bytes, 160);
}

TEST_F(ReferenceSurveyTest, TellsOfNaNsThatWereWritten) {
  std::vector<std::byte> first = doubled(8);
  set(first, 3, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(survey("out", first, doubled(9)).remarks, ElementsAre("1 of 100 elements of 'out' are NaN"));
}

TEST_F(ReferenceSurveyTest, TellsOfResultsThatAreAnInput) {
  EXPECT_THAT(survey("out", input(8), input(9)).remarks,
              ElementsAre("'out' is what the input 'x' begins with"));
}

TEST_F(ReferenceSurveyTest, TellsOfResultsThatNoInputChanges) {
  const ReferenceSurvey same = survey("out", doubled(8), doubled(8));
  EXPECT_THAT(same.remarks, ElementsAre("'out' is the same whatever the random inputs are"));
  EXPECT_TRUE(same.is_constant);
  std::vector<std::byte> ones = input(8);
  for (std::size_t i = 0; i < kElements; ++i) set(ones, i, 1.0F);
  EXPECT_THAT(survey("out", ones, ones).remarks, ElementsAre("all 100 elements of 'out' are the same"));
}

// Without random inputs the results of two draws are the same.
TEST_F(ReferenceSurveyTest, ExpectsNoDifferenceWithoutRandomInputs) {
  const std::vector<std::byte> results = doubled(8);
  system_.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
  const ReferenceSurvey found = survey("out", results, results);
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_FALSE(found.is_constant);
}

}  // namespace
}  // namespace tailwave
