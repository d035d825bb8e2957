#include "tune/launch_knowledge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "compile/artifact.h"
#include "measure/launch_description.h"
#include "occupancy/clusters.h"
#include "occupancy/launch_speed.h"
#include "occupancy/occupancy.h"
#include "occupancy/sm_share.h"
#include "occupancy/wave_forecast.h"

namespace tailwave {
namespace {

const std::vector<std::string> kOfLaunch{"threads", "blocks", "shared_bytes"};
const std::vector<std::string> kOfDevice{"blocks_per_sm", "occupancy", "waves",
                                         "tail_fraction", "staircase", "partial_wave"};

std::set<std::string> names_in_launches(const VariantSpec& variant) {
  std::set<std::string> names;
  for (const LaunchSpec& launch : variant.launches)
    for (const Expression* one : expressions_of(launch))
      names.insert(one->names().begin(), one->names().end());
  return names;
}

struct Facts : PointFacts {
  std::string obstacle;  // why it is impossible
};

class Oracle {
 public:
  Oracle(const ProblemSpace& space, const std::optional<DeviceSpec>& device, bool prunes)
      : space_(space), device_(device), prunes_(prunes && device) {
    if (device_ && !occupancy_available(*device_)) device_.reset();
    names_ = kOfLaunch;
    if (device_) names_.insert(names_.end(), kOfDevice.begin(), kOfDevice.end());
    limits_ = device;
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  const Facts& facts(std::span<const std::uint16_t> row) {
    const VariantSpec& variant = space_.variant(row);
    const auto known = columns_.find(&variant);
    const std::vector<std::size_t>& columns =
        known != columns_.end() ? known->second
                                : columns_.emplace(&variant, columns_of(variant)).first->second;
    key_.clear();
    for (const std::size_t column : columns) key_.push_back(row[column]);
    std::map<std::vector<std::uint16_t>, Facts>& facts = facts_[&variant];
    const auto found = facts.find(key_);
    if (found != facts.end()) return found->second;
    return facts.emplace(key_, look_at(variant, space_.configuration(row).scope())).first->second;
  }

 private:
  std::vector<std::size_t> columns_of(const VariantSpec& variant) const {
    const std::set<std::string> names = names_in_launches(variant);
    std::vector<std::size_t> columns;
    const std::vector<Parameter>& parameters = space_.points().parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (names.contains(parameters[i].name)) columns.push_back(i);
    return columns;
  }

  Facts look_at(const VariantSpec& variant, const Values& scope) const {
    std::vector<KernelResources> none;
    for (const std::string& kernel : kernel_names(variant)) none.emplace_back().kernel = kernel;
    Facts facts;
    facts.features.resize(names_.size());
    try {
      const std::vector<LaunchRecord> launches = describe_launches(variant, scope, none, device_);
      if (prunes_) facts.obstacle = plan_obstacle(launches, *limits_);
      if (const LaunchRecord* main = main_launch(launches, variant.main)) describe(*main, facts);
    } catch (const Failure& failure) {
      facts.obstacle = failure.what();
    }
    facts.impossible = !facts.obstacle.empty();
    return facts;
  }

  void describe(const LaunchRecord& launch, Facts& facts) const {
    std::vector<double> values{static_cast<double>(launch.block.count()),
                               static_cast<double>(launch.grid.count()),
                               static_cast<double>(launch.dynamic_shared_bytes)};
    if (launch.waves) {
      const int sms = sms_of(*device_, launch);
      const WaveUnits units = wave_units_of(device_of(*device_, launch), launch);
      const WaveForecast forecast = forecast_even_waves(units.count, units.sms, units.per_sm);
      values.insert(values.end(), {static_cast<double>(launch.occupancy->blocks_per_sm),
                                   launch.occupancy->occupancy, launch.waves->waves,
                                   launch.waves->tail_fraction, forecast.staircase, forecast.partial_wave});
      const int blocks_per_sm = launch.occupancy->blocks_per_sm;
      const std::optional<std::int64_t> clusters = cluster_slots_of(launch);
      facts.predicted_cost =
          static_cast<float>(relative_time({.grid = launch.grid.count(),
                                            .block = launch.block.count(),
                                            .sms = clusters ? filled_sms(*clusters, blocks_per_sm) : sms,
                                            .blocks_per_sm = blocks_per_sm}));
    }
    for (std::size_t i = 0; i < values.size(); ++i) facts.features[i] = static_cast<float>(values[i]);
  }

  const ProblemSpace& space_;
  std::optional<DeviceSpec> device_, limits_;  // device_: of which occupancy is known
  bool prunes_;
  std::vector<std::string> names_;
  std::map<const VariantSpec*, std::vector<std::size_t>> columns_;
  std::map<const VariantSpec*, std::map<std::vector<std::uint16_t>, Facts>> facts_;
  std::vector<std::uint16_t> key_;
};

// Looks at all points that are listed, else at some.
void look_around(const ProblemSpace& space, Oracle& oracle, LaunchKnowledge& result) {
  constexpr std::size_t kDrawn = 1000;
  const SearchSpace& points = space.points();
  bool predicts = false;
  const auto look = [&](Point point) {
    const Facts& facts = oracle.facts(points.digits(point));
    predicts = predicts || !std::isnan(facts.predicted_cost);
    ++result.looked_at;
    if (facts.impossible && ++result.impossible == 1)
      result.why = space.configuration(point).name() + ": " + facts.obstacle;
  };
  if (points.is_listed()) {
    for (Point point = 0; point < points.size(); ++point) look(point);
  } else {
    Generator random(0);
    for (const Point point : points.sample(kDrawn, random)) look(point);
  }
  result.knowledge.predicts = predicts;
}

}  // namespace

LaunchKnowledge know_launches(const ProblemSpace& space, const std::optional<DeviceSpec>& device,
                              bool prunes) {
  LaunchKnowledge result;
  if (space.target() != VariantSpec::Target::cuda) return result;
  const auto oracle = std::make_shared<Oracle>(space, device, prunes);
  result.knowledge.names = oracle->names();
  result.knowledge.facts = [oracle, &space](Point point) -> const PointFacts& {
    return oracle->facts(space.points().digits(point));
  };
  look_around(space, *oracle, result);
  return result;
}

}  // namespace tailwave
