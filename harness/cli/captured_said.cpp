#include "cli/captured_said.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/statistics.h"

namespace tailwave {

using OrderedJson = nlohmann::ordered_json;

std::vector<ApplicationKernel> kernels_of(const std::vector<KernelTimes>& times) {
  std::map<std::string, ApplicationKernel> by_name;
  for (const KernelTimes& one : times) {
    ApplicationKernel& kernel = by_name[one.kernel];
    kernel.name = one.demangled;
    kernel.launches += one.launches;
    kernel.total_ns += one.total_ns;
    ++kernel.shapes;
    kernel.times_ns.insert(kernel.times_ns.end(), one.first_ns.begin(), one.first_ns.end());
  }
  std::vector<ApplicationKernel> all;
  for (auto& [symbol, kernel] : by_name) all.push_back(std::move(kernel));
  std::ranges::sort(all, [](const auto& one, const auto& other) { return one.total_ns > other.total_ns; });
  return all;
}

Table profile_table(const std::vector<ApplicationKernel>& kernels) {
  constexpr double kPercent = 100, kNsPerMs = 1e6, kNsPerUs = 1e3;
  double all_ns = 0;
  for (const ApplicationKernel& one : kernels) all_ns += one.total_ns;
  Table table{{"percent", "total_ms", "launches", "shapes", "median_us", "kernel"}, {}};
  for (const ApplicationKernel& one : kernels)
    table.rows.push_back({one.total_ns / all_ns * kPercent, one.total_ns / kNsPerMs, one.launches,
                          static_cast<std::int64_t>(one.shapes), median(one.times_ns) / kNsPerUs, one.name});
  return table;
}

std::string sentence_of(const ReplayCheck& check, const std::string& device) {
  if (!check.failure.empty())
    return fmt::format("it could not be launched anew on {}: {}", device, check.failure);
  std::string text;
  if (check.is_identical()) {
    text = fmt::format("launched anew on {}: bit-identical", device);
    std::vector<std::string> written;
    for (const ReplayCheck::Memory& one : check.memory)
      if (one.written > 0)
        written.push_back(fmt::format("{} of {} bytes of '{}'", one.written, one.bytes, one.buffer));
    text += written.empty() ? "; it writes nothing but what it also reads"
                            : fmt::format("; it writes {}", fmt::join(written, ", "));
    return text;
  }
  text = fmt::format("launched anew on {}, it leaves other bytes:", device);
  for (const ReplayCheck::Memory& one : check.memory)
    if (one.differing > 0) text += fmt::format(" {} of {} in '{}'", one.differing, one.bytes, one.buffer);
  return text +
         (check.repeats
              ? "; again the same ones, so that something it reads was not captured"
              : "; two launches differ as well: it is not deterministic, and 'compare' needs another norm");
}

OrderedJson json_of(const ReplayCheck& check) {
  OrderedJson memory = OrderedJson::array();
  for (const ReplayCheck::Memory& one : check.memory)
    memory.push_back({{"buffer", one.buffer},
                      {"bytes", one.bytes},
                      {"differing", one.differing},
                      {"written", one.written}});
  return {{"identical", check.is_identical()},
          {"repeats", check.repeats},
          {"failure", check.failure},
          {"memory", memory}};
}

}  // namespace tailwave
