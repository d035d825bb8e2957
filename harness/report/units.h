#pragma once

#include <string>

namespace tailwave {

// Numbers for people: four significant digits and a unit.

// 1.5e9 -> "1.5 G", 1.155e12 -> "1155 G": as the studies count, G goes up to 9999. 12.5 -> "12.5 ".
std::string format_si(double value);

// A time in seconds: "10.4 us", "1.2 s".
std::string format_time(double seconds);

// A metric's value in SI units: "10.4 us" for "time", else "1155 G/s".
std::string format_metric(const std::string& metric, double value);

// "1.483", "0.98", "2700": four significant digits, no exponent up to 1e6.
std::string format_number(double value);

// The column heading of a metric: "time" or "interactions/s".
std::string metric_heading(const std::string& metric);

// "47.93 G interactions/s" or "10.4 us".
std::string describe_value(const std::string& metric, double value);

}  // namespace tailwave
