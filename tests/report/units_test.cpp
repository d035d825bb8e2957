#include "report/units.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(Units, RatesKeepFourDigitsAndCountInGiga) {
  EXPECT_EQ(format_metric({"interactions_per_second"}, 1.155e12), "1155 G/s");
  EXPECT_EQ(format_metric({"interactions_per_second"}, 47.9349e9), "47.93 G/s");
  EXPECT_EQ(format_metric({"interactions_per_second"}, 81e6), "81 M/s");
  EXPECT_EQ(format_metric({"flop_per_second"}, 4.2e13), "42 T/s");
  EXPECT_EQ(format_metric({"steps_per_second"}, 12.5), "12.5 /s");
}

TEST(Units, TimesAreInTheUnitThatFits) {
  EXPECT_EQ(format_time(10.4e-6), "10.4 us");
  EXPECT_EQ(format_time(999.96e-9), "1000 ns");
  EXPECT_EQ(format_time(95.8e-3), "95.8 ms");
  EXPECT_EQ(format_time(1200), "1200 s");
  EXPECT_EQ(format_metric({"time"}, 2.52e-3), "2.52 ms");
}

TEST(Units, NumbersHaveNoExponentUpToAMillion) {
  EXPECT_EQ(format_number(1.48313), "1.483");
  EXPECT_EQ(format_number(0.00541674), "0.005417");
  EXPECT_EQ(format_number(15000.4), "15000");
  EXPECT_EQ(format_number(2.5e7), "2.5e+07");
}

TEST(Units, HeadingsSayWhatIsCounted) {
  EXPECT_EQ(metric_heading({"interactions_per_second"}), "interactions/s");
  EXPECT_EQ(metric_heading({"time"}), "time");
}

TEST(Units, MetricsByAnExpressionHaveTheirOwnUnit) {
  const ShownMetric bandwidth{"bandwidth", true, "GB/s"};
  EXPECT_EQ(format_metric(bandwidth, 1234.56), "1235 GB/s");
  EXPECT_EQ(metric_heading(bandwidth), "bandwidth (GB/s)");
  EXPECT_EQ(describe_value(bandwidth, 812), "bandwidth 812 GB/s");
  EXPECT_EQ(describe_value({"share", true, ""}, 0.5), "share 0.5");
  EXPECT_EQ(metric_heading({"share", true, ""}), "share");
  EXPECT_EQ(metric_heading({"steps", true, "", true}), "steps (self-reported)");
  EXPECT_EQ(metric_heading({"size", true, "m", true}), "size (m, self-reported)");
  EXPECT_EQ(describe_value({"size", true, "m", true}, 2), "size 2 m (self-reported)");
  EXPECT_EQ(metric_heading(shown_metric({.name = "bytes_per_second", .unit = "bytes/s"})), "bytes/s");
  EXPECT_EQ(metric_heading(shown_metric({.name = "bytes_per_second", .unit = "GB/s"})),
            "bytes_per_second (GB/s)");
}

}  // namespace
}  // namespace tailwave
