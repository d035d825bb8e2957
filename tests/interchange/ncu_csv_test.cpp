#include "interchange/ncu_csv.h"

#include <gmock/gmock.h>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// As 2025.3 prints `--page raw --csv`.
constexpr const char* kWide = R"csv(==PROF== Connected to process 4711 (/usr/bin/app)
"quoted" output of the program
==PROF== Profiling "body_force" - 0: 0%....50%....100% - 5 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","device__attribute_clock_rate","dram__bytes_read.sum","gpu__time_duration.sum","launch__registers_per_thread","lts__t_sector_hit_rate.pct","smsp__inst_executed.sum"
"","","","","","","","","","","","","Mbyte","us","register/thread","%","inst"
"0","4711","app","127.0.0.1","void body_force<4>(Body *, float, int)","1","7","(128, 1, 1)","(32, 2, 1)","0","9.0","1,980,000","1.25","14.30","40","98.76","1,234,567"
"1","4711","app","127.0.0.1","integrate(Body *, ""x"")","1","7","(64, 1, 1)","(1, 1, 1)","0","9.0","1,980,000","n/a","2.10","16","nan","12 (6; 6)"
)csv";

TEST(NcuCsv, IsReadWithARowForEachLaunch) {
  const NcuReport report = parse_ncu_csv(kWide);
  EXPECT_EQ(report.obstacle, "");
  ASSERT_THAT(report.launches, SizeIs(2));
  const NcuLaunch& first = report.launches[0];
  EXPECT_EQ(first.kernel, "body_force");
  EXPECT_EQ(first.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(first.grid, (Dim3{32, 2, 1}));
  EXPECT_EQ(first.compute_capability, 90);
  EXPECT_THAT(first.values, ElementsAre(CounterValue{"dram__bytes_read.sum", 1.25e6, "byte", ""},
                                        CounterValue{"gpu__time_duration.sum", 14300, "ns", ""},
                                        CounterValue{"lts__t_sector_hit_rate.pct", 98.76, "%", ""},
                                        CounterValue{"smsp__inst_executed.sum", 1'234'567, "inst", ""}));
}

TEST(NcuCsv, LeavesOutWhatIsNoNumber) {
  const NcuLaunch second = parse_ncu_csv(kWide).launches.at(1);
  EXPECT_EQ(second.kernel, "integrate");
  EXPECT_EQ(second.find("dram__bytes_read.sum"), nullptr);
  EXPECT_EQ(second.find("smsp__inst_executed.sum")->value, 12);
  EXPECT_EQ(second.find("lts__t_sector_hit_rate.pct")->doubt, "not a number");
}

TEST(NcuCsv, IsReadWithARowForEachMetric) {
  const NcuReport report = parse_ncu_csv(R"csv(
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"
"0","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0","GPU Speed Of Light Throughput","Elapsed Cycles","cycle","3,305,314","","","","",""
"0","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0","GPU Speed Of Light Throughput","Memory Throughput","%","12.5","","","","",""
"0","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0","GPU Speed Of Light Throughput","Duration","ms","1.90","","","","",""
"0","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0","SpeedOfLight","","","","HighPipeUtilization","INF","Look at
the pipes, and at ""Compute"".","",""
"0","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0","Occupancy","Achieved Occupancy","%","39.56","","","","",""
"1","1","app","127.0.0.1","scale(float *)","1","7","(256, 1, 1)","(9, 1, 1)","0","8.0","Command line profiler metrics","sm__throughput.avg.pct_of_peak_sustained_elapsed","%","0.48","","","","",""
)csv");
  ASSERT_THAT(report.launches, SizeIs(2));
  EXPECT_EQ(report.launches[0].compute_capability, 80);
  EXPECT_THAT(report.launches[0].values,
              ElementsAre(CounterValue{"gpc__cycles_elapsed.max", 3'305'314, "cycle", ""},
                          CounterValue{"gpu__time_duration.sum", 1.9e6, "ns", ""},
                          CounterValue{"sm__warps_active.avg.pct_of_peak_sustained_active", 39.56, "%", ""}));
  EXPECT_EQ(report.launches[1].grid, (Dim3{9, 1, 1}));
  EXPECT_EQ(report.launches[1].find("sm__throughput.avg.pct_of_peak_sustained_elapsed")->value, 0.48);
}

TEST(NcuCsv, OfOldVersionsHasTheSizesOfALaunchAmongItsMetrics) {
  const NcuReport report = parse_ncu_csv(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\"Section "
      "Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\r\n"
      "\"0\",\"1\",\"app\",\"h\",\"scale\",\"2020-Jan-01 10:00:00\",\"1\",\"7\",\"Launch Statistics\",\"Block "
      "Size\",\"\",\"256\"\r\n"
      "\"0\",\"1\",\"app\",\"h\",\"scale\",\"2020-Jan-01 10:00:00\",\"1\",\"7\",\"Launch Statistics\",\"Grid "
      "Size\",\"\",\"4,096\"\r\n"
      "\"0\",\"1\",\"app\",\"h\",\"scale\",\"2020-Jan-01 10:00:00\",\"1\",\"7\",\"GPU Speed Of Light\",\"SOL "
      "SM\",\"%\",\"31.95\"\r\n");
  ASSERT_THAT(report.launches, SizeIs(1));
  EXPECT_EQ(report.launches[0].grid, std::nullopt);
  EXPECT_EQ(report.launches[0].grid_size, 4096);
  EXPECT_EQ(report.launches[0].block_size, 256);
  EXPECT_THAT(report.launches[0].values,
              ElementsAre(CounterValue{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 31.95, "%", ""}));
}

TEST(NcuCsv, HasNoLaunchesWhereNcuSaysWhyNot) {
  const NcuReport refused = parse_ncu_csv(
      "==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
      "==ERROR== something later\n");
  EXPECT_THAT(refused.launches, IsEmpty());
  EXPECT_EQ(refused.obstacle, "ERR_NVGPUCTRPERM - The user does not have permission");
  EXPECT_EQ(parse_ncu_csv("time,value\n1,2\n").obstacle, "");
}

TEST(NcuCsv, IsReadUpToARowThatIsCutOff) {
  std::string text = kWide;
  text.resize(text.rfind(",\"nan"));
  const NcuReport report = parse_ncu_csv(text);
  EXPECT_THAT(report.launches, SizeIs(1));
  EXPECT_THAT(report.faults, ElementsAre("line 8: a row of 15 columns in a table of 17"));
}

TEST(NcuCsv, LeavesOutALaunchWhoseSizeCannotBeRead) {
  std::string text = kWide;
  text.replace(text.find("(32, 2, 1)"), 10, "(32, 2");
  const NcuReport report = parse_ncu_csv(text);
  ASSERT_THAT(report.launches, SizeIs(1));
  EXPECT_EQ(report.launches[0].kernel, "integrate");
  EXPECT_THAT(report.faults, ElementsAre("line 7: Grid Size '(32, 2' is none"));
}

TEST(NcuCsv, LeavesOutTimesAndBytesInUnknownUnits) {
  std::string text = kWide;
  text.replace(text.find("\"us\""), 4, "\"fortnight\"");
  text.replace(text.find("\"Mbyte\""), 7, "\"\"");
  text.resize(text.find("\"1\",\"4711\""));
  const NcuReport report = parse_ncu_csv(text);
  EXPECT_THAT(report.launches.at(0).values,
              ElementsAre(CounterValue{"lts__t_sector_hit_rate.pct", 98.76, "%", ""},
                          CounterValue{"smsp__inst_executed.sum", 1'234'567, "inst", ""}));
  EXPECT_THAT(report.faults,
              ElementsAre("line 7: dram__bytes_read.sum in '', which is no unit of it",
                          "line 7: gpu__time_duration.sum in 'fortnight', which is no unit of it"));
}

TEST(KernelBaseName, IsWhatSourcesCallAKernel) {
  EXPECT_EQ(kernel_base_name("scale"), "scale");
  EXPECT_EQ(kernel_base_name("scale<4, true>"), "scale");
  EXPECT_EQ(kernel_base_name("void ns::detail::scale<ns::tile<4>, (int)2>(float *, int)"), "scale");
  EXPECT_EQ(kernel_base_name("(anonymous namespace)::scale(float *)"), "scale");
  EXPECT_EQ(kernel_base_name("void <unnamed>::scale<1>(float*)"), "scale");
  EXPECT_EQ(kernel_base_name("_ZN2ns5scaleILi4EEEvPf"), "scale");
  EXPECT_EQ(kernel_base_name("_Zzz"), "_Zzz");
  EXPECT_EQ(kernel_base_name(""), "");
}

}  // namespace
}  // namespace tailwave
