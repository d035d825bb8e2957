#pragma once

#include <string>

#include "core/metric.h"

namespace tailwave {

// Numbers for people: four significant digits and a unit.

// 1.5e9 -> "1.5 G", 1.155e12 -> "1155 G": as the studies count, G goes up to 9999. 12.5 -> "12.5 ".
std::string format_si(double value);

// A time in seconds: "10.4 us", "1.2 s".
std::string format_time(double seconds);

// What a metric is called where people see it.
struct ShownMetric {
  std::string name = "time";
  bool own = false;  // by an expression, and so in a unit of its own
  std::string unit = {};
  bool self_reported = false;  // as of a MetricRecord
};
ShownMetric shown_metric(const MetricRecord& metric);

// A metric's value: in SI units "10.4 us" for "time", "1155 G/s" for a rate; one by an expression in its own, "812 GB/s".
std::string format_metric(const ShownMetric& metric, double value);

// "1.483", "0.98", "2700": four significant digits, no exponent up to 1e6.
std::string format_number(double value);

// The column heading of a metric: "time", "interactions/s", "bandwidth (GB/s)" or "residual (m, self-reported)".
std::string metric_heading(const ShownMetric& metric);

// "47.93 G interactions/s", "10.4 us" or "bandwidth 812 GB/s".
std::string describe_value(const ShownMetric& metric, double value);

}  // namespace tailwave
