// The host part of exported programs, which is compiled into them as it stands in harness/.
#include "standalone/program.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "measure/inputs.h"

namespace tailwave {
namespace {

namespace own = tailwave_program;

std::vector<std::byte> of_program(const own::BufferInfo& buffer, std::uint64_t draw) {
  const own::Bytes bytes = own::contents_of(buffer, draw);
  std::vector<std::byte> result(bytes.size());
  std::ranges::transform(bytes, result.begin(), [](unsigned char byte) { return std::byte{byte}; });
  return result;
}

struct SameFill {
  Fill fill;
  own::Fill program;
};

std::vector<SameFill> fills(bool real) {
  std::vector<SameFill> all(5);
  all[0].fill = {.kind = Fill::Kind::uniform, .low = real ? -1.5 : 3.0, .high = 100.0, .seed = 7};
  all[0].program = {own::Fill::uniform, real ? -1.5 : 3.0, 100, 0, 0, 7};
  all[1].fill = {.kind = Fill::Kind::normal, .mean = 20.0, .deviation = 3.5, .seed = 8};
  all[1].program = {own::Fill::normal, 20, 3.5, 0, 0, 8};
  all[2].fill = {.kind = Fill::Kind::integers, .low = 2, .high = 8, .seed = 9};
  all[2].program = {own::Fill::integers, 0, 0, 2, 8, 9};
  all[3].fill = {.kind = Fill::Kind::permutation, .seed = 10};
  all[3].program = {own::Fill::permutation, 0, 0, 0, 0, 10};
  all[4].fill = {.kind = Fill::Kind::constant, .value = 5.0};
  all[4].program = {own::Fill::constant, 5, 0, 0, 0, 0};
  return all;
}

TEST(ExportedProgram, HasTailwavesInputsBitByBit) {
  constexpr std::size_t kCount = 100;
  for (std::size_t i = 0; i < EnumNames<ScalarType>::names.size(); ++i) {
    const auto type = static_cast<ScalarType>(i);
    for (const SameFill& fill : fills(is_real(type))) {
      // 8 bits of a float8 do not hold every whole number to 99.
      if (fill.fill.kind == Fill::Kind::permutation && is_small_float(type) && size_bytes(type) == 1)
        continue;
      for (const std::uint64_t draw : {0U, 3U}) {
        const own::BufferInfo buffer{"b", static_cast<own::Type>(i), kCount, fill.program};
        EXPECT_EQ(of_program(buffer, draw), make_input({.type = type, .fill = fill.fill}, kCount, draw))
            << to_string(type) << " " << to_string(fill.fill.kind) << " draw " << draw;
      }
    }
  }
}

TEST(ExportedProgram, PoisonsWhatIsOnlyWrittenAsTailwaveDoes) {
  for (const auto& [type, draw] :
       {std::pair(ScalarType::float32, 1U), {ScalarType::int32, 0U}, {ScalarType::int32, 1U}}) {
    const own::BufferInfo buffer{"b", static_cast<own::Type>(type), 3, {}, own::Memory::device, true};
    EXPECT_THAT(of_program(buffer, draw),
                testing::Each(*uniform_byte({.type = type, .output_only = true}, draw)));
  }
}

bool is_right(const tailwave::DifferenceRule& rule, float expected, float actual) {
  const own::BufferInfo buffer{"b", own::Type::float32, 2, {}};
  own::Bytes bytes[2] = {own::Bytes(8), own::Bytes(8)};
  std::memcpy(bytes[0].data() + 4, &expected, sizeof expected);
  std::memcpy(bytes[1].data() + 4, &actual, sizeof actual);
  return own::is_right(buffer, {0, rule}, bytes[0], bytes[1]);
}

TEST(ExportedProgram, AddsAddressesToWhatStructsHave) {
  struct Field {
    int number;
    const char* text;
  };
  const char* const text = "text";
  own::AnyBytes<sizeof(Field)> whole{{7, 0, 0, 0, 0, 0, 0, 0, 2}};
  const Field field = own::with_address(whole, 8, text);
  EXPECT_EQ(field.number, 7);
  EXPECT_EQ(field.text, text + 2);
}

TEST(ExportedProgram, JudgesByEachNorm) {
  using Norm = DifferenceNorm;
  for (const Norm norm : {Norm::relative_l2, Norm::max_abs, Norm::max_rel, Norm::close}) {
    EXPECT_TRUE(is_right({norm, 0.01, 0, 0}, 4, 4.004F)) << static_cast<int>(norm);
    EXPECT_FALSE(is_right({norm, 0.0001, 0, 0}, 4, 4.004F)) << static_cast<int>(norm);
    EXPECT_FALSE(is_right({norm, 0.01, 0, 0}, 4, NAN)) << static_cast<int>(norm);
  }
  EXPECT_TRUE(is_right({Norm::exact, 0, 0, 0}, 4, 4));
  EXPECT_FALSE(is_right({Norm::exact, 0, 0, 0}, 4, 4.004F));
  EXPECT_TRUE(is_right({Norm::ulp, 1, 0, 0}, 4, std::nextafter(4.0F, 5.0F)));
  EXPECT_FALSE(is_right({Norm::ulp, 0, 0, 0}, 4, std::nextafter(4.0F, 5.0F)));
  EXPECT_TRUE(is_right({Norm::differing, 0.5, 0, 0}, 4, 5));
  EXPECT_FALSE(is_right({Norm::differing, 0.4, 0, 0}, 4, 5));
  EXPECT_TRUE(is_right({Norm::range, 0, 0, 5}, 0, 5));
  EXPECT_FALSE(is_right({Norm::range, 0, 0, 5}, 0, 6));
}

}  // namespace
}  // namespace tailwave
