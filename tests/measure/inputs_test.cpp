#include "measure/inputs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/outcome.h"
#include "fakes/npy.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"
#include "measure/workspace.h"
#include "spec/fill_reader.h"

namespace tailwave {
namespace {

BufferSpec uniform(ScalarType type, double low, double high, std::uint64_t seed) {
  BufferSpec buffer;
  buffer.type = type;
  buffer.fill = {.kind = Fill::Kind::uniform, .low = low, .high = high, .seed = seed};
  return buffer;
}

std::vector<double> doubles(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Inputs, AreUniformOverTheRange) {
  const std::vector<double> values = doubles(make_input(uniform(ScalarType::float64, -1, 3, 42), 100000, 0));
  double sum = 0;
  for (const double value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 3);
    sum += value;
  }
  // The mean of 1e5 draws has a standard deviation of (4 / sqrt 12) / sqrt 1e5 = 0.0037.
  EXPECT_NEAR(sum / 1e5, 1.0, 0.02);
}

TEST(Inputs, DependOnSeedAndDrawButNotOnTheCount) {
  const BufferSpec buffer = uniform(ScalarType::float64, 0, 1, 42);
  const std::vector<double> few = doubles(make_input(buffer, 10, 0));
  const std::vector<double> many = doubles(make_input(buffer, 20, 0));
  EXPECT_EQ(few, std::vector<double>(many.begin(), many.begin() + 10));
  EXPECT_NE(few, doubles(make_input(buffer, 10, 1)));
  EXPECT_NE(few, doubles(make_input(uniform(ScalarType::float64, 0, 1, 43), 10, 0)));
}

TEST(Inputs, OfIntegersAreRoundedDownAndCoverTheRange) {
  const std::vector<std::byte> bytes = make_input(uniform(ScalarType::int32, -2, 2, 1), 1000, 0);
  std::vector<std::int32_t> values(1000);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_THAT(values, testing::Each(testing::AllOf(testing::Ge(-2), testing::Le(1))));
  for (const int wanted : {-2, -1, 0, 1}) EXPECT_THAT(values, testing::Contains(wanted));
}

TEST(Inputs, AreGeneratedFromTheirNumber) {
  BufferSpec buffer;
  buffer.type = ScalarType::float64;
  buffer.fill.kind = Fill::Kind::generated;
  buffer.fill.element = Expression::parse("2 * i + 0.5");
  EXPECT_EQ(doubles(make_input(buffer, 3, 1)), (std::vector<double>{0.5, 2.5, 4.5}));
  buffer.fill.element = Expression::parse("7");
  EXPECT_EQ(doubles(make_input(buffer, 2, 0)), (std::vector<double>{7, 7}));
  buffer.type = ScalarType::uint8;
  buffer.fill.element = Expression::parse("300 - i");
  try {
    make_input(buffer, 2, 0);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "element 0 of the fill '300 - i': the value 300 does not fit");
  }
}

TEST(Inputs, AreTheFirstBytesOfAFile) {
  const ScratchFolder folder;
  BufferSpec buffer;
  buffer.type = ScalarType::int16;
  buffer.fill.kind = Fill::Kind::file;
  buffer.fill.file = folder.write("input.bin", "abcdefgh");
  const std::vector<std::byte> bytes = make_input(buffer, 3, 1);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "abcdef");
  EXPECT_THROW((void)make_input(buffer, 5, 0), Error);
}

TEST(Inputs, AreTheElementsOfAnArrayOfNumPy) {
  const ScratchFolder folder;
  const std::vector<double> wanted{0.5, 1.5, -2};
  const std::filesystem::path file =
      folder.write("input.npy", fakes::npy("<f8", "(3,)", fakes::bytes_of(wanted)));
  Diagnostics wrong;
  Reporter reporter("system.json", wrong);
  BufferSpec buffer{.type = ScalarType::float64, .fill = fill_from_file(file, "/fill", reporter)};
  EXPECT_THAT(wrong, testing::IsEmpty());
  EXPECT_EQ(doubles(make_input(buffer, 3, 1)), wanted);
  std::vector<std::byte> part(sizeof(double));
  make_input(input_of("x", buffer, 3, {}), 0, 2, part);
  EXPECT_EQ(doubles(part), std::vector<double>{-2});
}

TEST(Inputs, HaveAmountsOfTheirScope) {
  BufferSpec buffer{.type = ScalarType::float64, .fill = {.kind = Fill::Kind::normal}};
  buffer.fill.deviation = Expression::parse("SPREAD");
  const auto largest_of = [&](double spread) {
    double largest = 0;
    for (const double number : doubles(make_input(buffer, 1000, 0, {{"SPREAD", spread}})))
      largest = std::max(largest, std::abs(number));
    return largest;
  };
  EXPECT_NEAR(largest_of(10) / largest_of(0.1), 100, 1e-9);
  EXPECT_EQ(fakes::failure_of([&] {
              (void)input_of("x", buffer, 3, {{"SPREAD", -1.0}});
            }),
            "launch_failed: fill of buffer 'x': the deviation is -1, expected at least 0");
  EXPECT_EQ(fakes::failure_of([&] { (void)input_of("x", buffer, 3, {}); }),
            "launch_failed: fill of buffer 'x': unknown name 'SPREAD'");
}

TEST(Inputs, OfAllRandomKindsDifferByDraw) {
  for (const Fill::Kind kind :
       {Fill::Kind::uniform, Fill::Kind::normal, Fill::Kind::integers, Fill::Kind::permutation}) {
    BufferSpec buffer{.type = ScalarType::float64, .fill = {.kind = kind, .high = 1000}};
    EXPECT_TRUE(is_random(buffer.fill));
    EXPECT_NE(doubles(make_input(buffer, 100, 0)), doubles(make_input(buffer, 100, 1))) << to_string(kind);
  }
}

TEST(Inputs, FillWithAConstantOrZero) {
  BufferSpec buffer;
  buffer.type = ScalarType::float64;
  EXPECT_EQ(doubles(make_input(buffer, 2, 5)), (std::vector<double>{0, 0}));
  buffer.fill = {.kind = Fill::Kind::constant, .value = 2.5};
  EXPECT_EQ(doubles(make_input(buffer, 2, 5)), (std::vector<double>{2.5, 2.5}));
}

TEST(Inputs, AreTheSameInParts) {
  for (const ScalarType type :
       {ScalarType::float32, ScalarType::float64, ScalarType::uint8, ScalarType::int64}) {
    const BufferSpec buffer = uniform(type, 0, 200, 7);
    const std::size_t count = 1'000'003;  // worth several threads
    const std::vector<std::byte> whole = make_input(buffer, count, 3);
    std::vector<std::byte> parts(whole.size());
    constexpr std::size_t kFirst = 123'457;
    const std::span<std::byte> all(parts);
    const Input input = input_of("x", buffer, count, {});
    make_input(input, 3, 0, all.first(kFirst * size_bytes(type)));
    make_input(input, 3, kFirst, all.subspan(kFirst * size_bytes(type)));
    EXPECT_TRUE(whole == parts) << to_string(type);
  }
}

TEST(Inputs, OfOneByteNeedNotBeMade) {
  BufferSpec buffer;
  EXPECT_EQ(uniform_byte(buffer, 0), std::byte{0});
  buffer.fill.kind = Fill::Kind::constant;
  EXPECT_EQ(uniform_byte(buffer, 0), std::nullopt);
  buffer.output_only = true;
  EXPECT_EQ(uniform_byte(buffer, 0), kPoison);
  EXPECT_TRUE(std::isnan(doubles(std::vector<std::byte>(8, kPoison)).front()));
}

// An answer of -1, whose bytes are those of the poison, would otherwise need not be written.
TEST(Inputs, PoisonTwoDrawsOfIntegersDifferently) {
  BufferSpec buffer{.type = ScalarType::int32, .output_only = true};
  EXPECT_EQ(uniform_byte(buffer, 0), kPoison);
  EXPECT_EQ(uniform_byte(buffer, 1), kOtherPoison);
  EXPECT_EQ(uniform_byte(buffer, 2), kPoison);
  buffer.type = ScalarType::float32;
  EXPECT_EQ(uniform_byte(buffer, 1), kPoison);
}

}  // namespace
}  // namespace tailwave
