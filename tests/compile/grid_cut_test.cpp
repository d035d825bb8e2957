#include "compile/grid_cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/one_variant.h"

namespace tailwave {
namespace {

using fakes::failure_of;
using testing::HasSubstr;

// An entry with these statements, and what it says of its launches.
std::string entry(const std::string& statements, const std::string& says = "") {
  return ".version 9.0\n.address_size 64\n.func helper()\n{\n  mov.u32 %r9, %nctaid.x;\n  ret;\n}\n"
         ".visible .entry k(.param .u64 out)\n" +
         says + "{\n  .reg .b32 %r<9>;\n" + statements + "  ret;\n}\n.visible .entry other()\n" +
         ".reqnctapercluster 1, 2, 1\n{\n  mov.u32 %r1, %ctaid.y;\n  ret;\n}\n";
}

std::string without_helper(std::string ptx) {
  const auto at = ptx.find("%nctaid.x");
  return ptx.replace(at, 9, "1");
}

TEST(GridCut, NeedsNoChangeWhereNoBlockCouldTellTheDifference) {
  const std::string plain = without_helper(entry("  mov.u32 %r1, %ctaid.x;\n"));
  EXPECT_TRUE(runs_cut_as_it_is(plain, "k", {100}));
  EXPECT_FALSE(runs_cut_as_it_is(plain, "k", {10, 10}));
  EXPECT_FALSE(runs_cut_as_it_is(without_helper(entry("  mov.u32 %r1, %nctaid.x;\n")), "k", {100}));
  EXPECT_FALSE(runs_cut_as_it_is(entry(""), "k", {100})) << "a function that it may call looks at the grid";
}

TEST(GridCut, TellsEveryBlockTheSizeOfTheWholeGrid) {
  const std::string cut =
      cut_grid(entry("  mov.u32 %r1, %nctaid.x;\n  mov.u32 %r2, %nctaid.y;\n"), "k", {30, 7});
  EXPECT_THAT(cut, HasSubstr("mov.u32 %tailwave_v, 30; \n  mov.u32 %r1, %tailwave_v; }"));
  EXPECT_THAT(cut, HasSubstr("mov.u32 %tailwave_v, 7; \n  mov.u32 %r2, %tailwave_v; }"));
  EXPECT_THAT(cut, HasSubstr("mov.u32 %tailwave_v, 30; \n  mov.u32 %r9, %tailwave_v; }")) << "in helper, too";
  EXPECT_THAT(cut, HasSubstr(".reqnctapercluster 1, 2, 1\n{\n  mov.u32 %r1, %ctaid.y;"))
      << "not in other entries";
}

TEST(GridCut, GivesEveryBlockItsIndicesInTheWholeGrid) {
  const std::string statements =
      "  mov.u32 %r1, %ctaid.x;\n  @%p1 mov.u32 %r2, %ctaid.y;\n  mov.u32 %r3, %ctaid.z;\n";
  const std::string flat = cut_grid(entry(statements), "k", {90});
  EXPECT_THAT(flat, HasSubstr("mov.u32 %tailwave_v, %ctaid.x; "));
  EXPECT_THAT(flat, HasSubstr("mov.u32 %tailwave_v, 0; "));
  const std::string cut = cut_grid(entry(statements), "k", {32, 7, 3});
  EXPECT_THAT(cut, HasSubstr("mov.u32 %tailwave_n, %ctaid.x; and.b32 %tailwave_v, %tailwave_n, 31; "));
  EXPECT_THAT(cut,
              HasSubstr("shr.u32 %tailwave_q, %tailwave_n, 5; mov.u32 %tailwave_n, %tailwave_q; mul.wide"));
  EXPECT_THAT(cut, HasSubstr("@%p1 mov.u32 %r2, %tailwave_v; }"));
}

// The product and the shift of a quotient, as the device would compute them.
struct Quotient {
  std::uint64_t factor = 0;
  int shift = 0;
};
Quotient quotient_of(std::int64_t divisor) {
  const std::string cut = cut_grid(entry("  mov.u32 %r1, %ctaid.z;\n"), "k", {divisor, 1, 2});
  Quotient quotient;
  const std::string product = "mul.wide.u32 %tailwave_w, %tailwave_n, ",
                    shift = "shr.u64 %tailwave_w, %tailwave_w, ";
  quotient.factor = std::stoull(cut.substr(cut.find(product) + product.size()));
  quotient.shift = std::stoi(cut.substr(cut.find(shift) + shift.size()));
  return quotient;
}

TEST(GridCut, DividesExactly) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;
  for (const std::uint64_t divisor :
       {3ULL, 5ULL, 7ULL, 11ULL, 100ULL, 641ULL, 65535ULL, 1000003ULL, 715827883ULL, 1073741823ULL}) {
    const auto [factor, shift] = quotient_of(static_cast<std::int64_t>(divisor));
    ASSERT_LE(factor, UINT32_MAX) << divisor;
    std::vector<std::uint64_t> numbers{0, 1, divisor - 1, divisor, kMost - 1, kMost};
    for (std::uint64_t multiple = divisor; multiple <= kMost;
         multiple += kMost / 1000 / divisor * divisor + divisor)
      for (const std::uint64_t near : {multiple - 1, multiple, multiple + 1}) numbers.push_back(near);
    for (const std::uint64_t number : numbers)
      ASSERT_EQ(number * factor >> shift, number / divisor) << number << " / " << divisor;
  }
}

TEST(GridCut, KnowsHowManyBlocksAClusterHas) {
  EXPECT_EQ(cluster_blocks(entry(""), "k"), 1);
  EXPECT_EQ(cluster_blocks(entry("", ".explicitcluster\n.reqnctapercluster 4, 1, 1\n"), "k"), 4);
  EXPECT_EQ(cluster_blocks(entry("", ".reqnctapercluster 4\n"), "k"), 4);
  EXPECT_EQ(cluster_blocks(entry(""), "other"), 2);
}

TEST(GridCut, RefusesWhatDependsOnClustersInOtherWays) {
  EXPECT_EQ(failure_of([] {
              cut_grid(entry("  mov.u32 %r1, %clusterid.x;\n"), "k", {9, 9});
            }),
            "compile_error: the grid cannot be cut: 'k' reads %clusterid");
  EXPECT_EQ(failure_of([] {
              cut_grid(entry("", ".reqnctapercluster 1, 2, 1\n"), "k", {9, 9});
            }),
            "compile_error: the grid cannot be cut: its clusters extend in y or z");
}

TEST(GridCut, RefusesWhatItCannotChange) {
  EXPECT_EQ(failure_of([] { cut_grid(entry(""), "l", {9}); }), "compile_error: the PTX has no entry 'l'");
  EXPECT_EQ(failure_of([] {
              cut_grid(entry(""), "k", {1 << 20, 1 << 11});
            }),
            "compile_error: the grid cannot be cut: it has 2^31 blocks or more");
  EXPECT_EQ(failure_of([] {
              cut_grid(entry("  mov.v4.u32 {%r1,%r2,%r3,%r4}, %ctaid;\n"), "k", {9, 9});
            }),
            "compile_error: the grid cannot be cut: 'k' reads %ctaid as a vector");
  EXPECT_EQ(failure_of([] {
              cut_grid(entry("  add.u32 %r1, %ctaid.x, %ctaid.y;\n"), "k", {9, 9});
            }),
            "compile_error: the grid cannot be cut: 'k' reads two of them at once");
}

}  // namespace
}  // namespace tailwave
