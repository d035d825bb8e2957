#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fakes/written_file.h"

namespace tailwave::samples {

// Two configurations, of which the second failed.
inline const std::string kCachefile = R"({
"device_name": "AMD Radeon PRO W7800",
"kernel_name": "stencil",
"problem_size": [
4096,
2048
],
"tune_params_keys": [
"block_size_x",
"unroll"
],
"tune_params": {
"block_size_x": [
16,
32
],
"unroll": [
true,
false
]
},
"objective": "time",
"cache": {
"16,True": {"block_size_x": 16, "unroll": true, "time": 2.5, "times": [2.0, 3.0], "compile_time": 300.5, "verification_time": 0, "benchmark_time": 5.25, "GFLOP/s": 12.5, "strategy_time": 0, "framework_time": 1.5, "timestamp": "2025-04-06 07:35:43.614378+00:00"},
"32,False": {"block_size_x": 32, "unroll": false, "time": "RuntimeFailedConfig", "compile_time": 200.5, "verification_time": 0, "benchmark_time": 0, "strategy_time": 0, "framework_time": 1.5, "timestamp": "2025-04-06 07:35:44.000000+00:00"}
}
})";

// The same in T4.
inline const std::string kT4 = R"({
"results": [
{"timestamp": "2025-04-06 07:35:43.614378+00:00", "configuration": {"block_size_x": 16, "unroll": true},
 "times": {"compilation": 300.5, "framework": 1.5, "search_algorithm": 0, "validation": 0, "runtimes": [2.0, 3.0]},
 "invalidity": "correct", "correctness": 1,
 "measurements": [{"name": "time", "value": 2.5, "unit": "ms"}, {"name": "GFLOP/s", "value": 12.5, "unit": ""}],
 "objectives": ["time"]},
{"timestamp": "2025-04-06 07:35:44.000000+00:00", "configuration": {"block_size_x": 32, "unroll": false},
 "times": {"compilation": 200.5, "framework": 1.5, "search_algorithm": 0, "validation": 0},
 "invalidity": "runtime", "correctness": 0,
 "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": "ms"}], "objectives": ["time"]}
],
"schema_version": "1.0.0",
"metadata": {"timeunit": "milliseconds"}
})";

inline std::string replaced(std::string text, const std::string& part, const std::string& other) {
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return place == std::string::npos ? text : text.replace(place, part.size(), other);
}

}  // namespace tailwave::samples
