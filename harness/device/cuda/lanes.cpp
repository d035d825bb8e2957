#include "device/cuda/lanes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tailwave {
namespace {

using Lane = std::pair<int, int>;  // a plan's stream and a number of SMs
using Plan = std::span<const Launch>;

// Of each launch; copies have none of their own.
std::vector<Lane> lanes_in(Plan plan) {
  std::vector<Lane> lanes;
  std::map<int, int> sms;  // of a stream's launches so far
  std::vector<std::size_t> open;
  for (const Launch& launch : plan) {
    if (launch.is_kernel()) sms[launch.stream] = launch.sms;
    const auto found = sms.find(launch.stream);
    if (found == sms.end()) open.push_back(lanes.size());
    lanes.emplace_back(launch.stream, found == sms.end() ? 0 : found->second);
  }
  sms.clear();
  for (std::size_t i = plan.size(); i-- > 0 && !open.empty();) {
    if (plan[i].is_kernel()) sms[plan[i].stream] = plan[i].sms;
    if (open.back() != i) continue;
    lanes[i].second = sms[plan[i].stream];  // 0 where the stream has copies alone
    open.pop_back();
  }
  return lanes;
}

std::vector<Plan> split(std::span<const Launch> launches, int sets) {
  const std::size_t length = launches.size() / static_cast<std::size_t>(sets);
  std::vector<Plan> plans;
  for (std::size_t begin = 0; begin < launches.size(); begin += length)
    plans.push_back(launches.subspan(begin, length));
  return plans;
}

// In ascending order, each once; the first has all SMs.
std::vector<Lane> numbered(const std::vector<std::vector<Lane>>& plans) {
  std::set<Lane> lanes;
  for (const std::vector<Lane>& plan : plans)
    for (std::size_t i = 0; i < plan.size(); ++i)
      if (i == 0 || plan[i] != plan[i - 1]) lanes.insert(plan[i]);
  if (!lanes.empty()) lanes.insert({lanes.begin()->first, 0});
  return {lanes.begin(), lanes.end()};
}

void add_plan(Plan plan, const std::vector<Lane>& of_plan, const std::vector<Lane>& numbers,
              std::vector<LaneOfLaunch>& all) {
  std::map<int, std::size_t> latest;  // lane of a stream's launches so far
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto lane = std::lower_bound(numbers.begin(), numbers.end(), of_plan[i]);
    LaneOfLaunch& one =
        all.emplace_back(LaneOfLaunch{static_cast<std::size_t>(lane - numbers.begin()), lane->second, {}});
    const auto wait_for = [&](int stream) {
      const auto found = latest.find(stream);
      if (found == latest.end() || found->second == one.lane) return;
      if (std::find(one.wait.begin(), one.wait.end(), found->second) == one.wait.end())
        one.wait.push_back(found->second);
    };
    wait_for(plan[i].stream);
    for (const int stream : plan[i].wait) wait_for(stream);
    latest[plan[i].stream] = one.lane;
  }
}

}  // namespace

std::vector<LaneOfLaunch> lanes_of(std::span<const Launch> launches, int sets) {
  const std::vector<Plan> plans = split(launches, sets);
  std::vector<std::vector<Lane>> lanes;
  for (const Plan plan : plans) lanes.push_back(lanes_in(plan));
  const std::vector<Lane> numbers = numbered(lanes);
  std::vector<LaneOfLaunch> all;
  for (std::size_t i = 0; i < plans.size(); ++i) add_plan(plans[i], lanes[i], numbers, all);
  return all;
}

std::vector<bool> dependent_launches(std::span<const Launch> launches, const std::vector<LaneOfLaunch>& lanes,
                                     int sets) {
  const std::size_t length = launches.size() / static_cast<std::size_t>(sets);
  std::vector<bool> dependent;
  std::map<std::size_t, bool> behind_kernel;  // by lane
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (i % length == 0) behind_kernel.clear();
    bool& behind = behind_kernel[lanes[i].lane];
    dependent.push_back(launches[i].dependent && behind && lanes[i].wait.empty());
    behind = launches[i].is_kernel();
  }
  return dependent;
}

}  // namespace tailwave
