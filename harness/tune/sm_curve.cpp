#include "tune/sm_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "core/statistics.h"
#include "measure/launch_description.h"
#include "occupancy/clusters.h"
#include "occupancy/sm_share.h"

namespace tailwave {
namespace {

constexpr int kWhole = 0;

class SmCurveMeasurer {
 public:
  SmCurveMeasurer(const Experiment& experiment, const Configuration& configuration, Measurer& measurer,
                  const SmCurveOptions& options)
      : experiment_(experiment),
        configuration_(configuration),
        measurer_(measurer),
        tools_(measurer.tools()),
        options_(options),
        variant_(*experiment.system.find_variant(configuration.variant)) {}

  MeasuredSmCurve measure() {
    if (options_.asked.empty()) throw Failure(Outcome::launch_failed, "one SM alone cannot be divided");
    make_candidates();
    take_turns();
    MeasuredSmCurve measured{describe(), std::move(refused_)};
    for (const Candidate& one : candidates_) add(one, measured.curve);
    return measured;
  }

 private:
  void make_candidates() {
    const Artifact artifact = tools_.kernels->build({&experiment_.system, &variant_, configuration_});
    std::vector<int> asked = options_.asked;
    asked.push_back(kWhole);
    for (const int sms : asked) {
      Candidate& one = candidates_.emplace_back(Candidate{
          .system = &experiment_.system, .settings = &experiment_.measure, .repetitions = options_.turns});
      one.trial.configuration = configuration_;
      one.put_on_sms(sms);
      one.take(artifact);
    }
  }

  void take_turns() {
    Generator random(options_.seed);
    for (int turn = 0; turn < options_.turns; ++turn) {
      std::vector<std::size_t> order(candidates_.size());
      std::iota(order.begin(), order.end(), 0);
      shuffle(order, random);
      for (const std::size_t i : order) candidates_[i] = measurer_.measure(std::move(candidates_[i]));
      leave_out_refused();
    }
  }

  void leave_out_refused() {
    std::set<int> granted;
    std::erase_if(candidates_, [&](const Candidate& one) {
      if (!one.is_alive()) refuse(one);
      return !one.is_alive() || (*one.sms != kWhole && !granted.insert(sms_of_candidate(one)).second);
    });
    if (candidates_.size() == 1) throw Failure(refused_.front().outcome, refused_.front().detail);
  }

  void refuse(const Candidate& one) {
    if (*one.sms == kWhole) throw Failure(one.trial.outcome, one.trial.detail);
    refused_.push_back({*one.sms, one.trial.outcome, one.trial.detail});
  }

  // On the CPU device no resources are known, and so no launch is the main one: the first stands for all.
  [[nodiscard]] const LaunchRecord& launch_of(const Candidate& one) const {
    if (one.trial.launches.empty())
      throw Failure(Outcome::launch_failed, "the plan launches no kernel that could have some of the SMs");
    const LaunchRecord* const main = main_launch(one.trial.launches, variant_.main);
    return main != nullptr ? *main : one.trial.launches.at(0);
  }

  [[nodiscard]] bool on_gpu() const { return tools_.device->description().kind == DeviceKind::cuda; }

  [[nodiscard]] int sms_of_candidate(const Candidate& one) const {
    return sms_of(launch_of(one), tools_.device->description());
  }

  [[nodiscard]] SmCurve describe() const {
    const LaunchRecord& launch = launch_of(candidates_.front());
    return {.configuration = configuration_,
            .compiler = tools_.kernels->version(),
            .position = launch.position,
            .kernel = launch.kernel,
            .grid = launch.grid.count(),
            .block_threads = launch.block.count(),
            .blocks_per_sm = std::max(1, launch.driver_blocks_per_sm.value_or(1)),
            .samples = {}};
  }

  void add(const Candidate& one, SmCurve& curve) const {
    curve.samples.push_back({*one.sms, sms_of_candidate(one), counted_times_ns(one.trial.samples),
                             on_gpu() ? cluster_slots_of(launch_of(one)) : std::nullopt});
  }

  const Experiment& experiment_;
  const Configuration& configuration_;
  Measurer& measurer_;
  const Tools& tools_;
  const SmCurveOptions& options_;
  const VariantSpec& variant_;
  std::vector<Candidate> candidates_;  // of each number that is left, the whole device last
  std::vector<RefusedSms> refused_;
};

}  // namespace

std::vector<int> curve_sms(int sms, const std::optional<DeviceSpec>& steps) {
  constexpr int kParts = 16;
  const int step = steps ? sms_to_expect(*steps, 1) : 1;
  std::set<int> numbers;
  for (const int part : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14})
    if (const int number = sms * part / kParts / step * step; number > 0) numbers.insert(number);
  return {numbers.begin(), numbers.end()};
}

std::vector<int> listed_sms(const std::string& list) {
  const auto refuse = [&](const std::string& word) {
    throw Error(Diagnostic{.place = "--sms",
                           .cause = fmt::format("'{}' is no number of SMs", word),
                           .hint = fmt::format("a list such as 8,16,32 of numbers from 1 to {}", kMostSms)});
  };
  std::vector<int> numbers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > kMostSms)
      refuse(word);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  }
  if (numbers.empty() || list.ends_with(',')) refuse("");
  return numbers;
}

SmGains gains_of(const SmCurve& curve) {
  constexpr double kShare = 0.05;
  std::map<int, double> median_ns;  // of equal numbers the first
  for (const SmSample& sample : curve.samples)
    if (!sample.times_ns.empty()) median_ns.emplace(sample.sms, median(sample.times_ns));
  SmGains gains;
  if (median_ns.empty()) return gains;
  const auto [fewest, slowest_ns] = *median_ns.begin();
  for (const auto& [sms, time_ns] : median_ns) {
    if (slowest_ns * fewest < (1 - kShare) * time_ns * sms) break;
    gains.in_proportion_to = sms;
  }
  double best_later_ns = median_ns.rbegin()->second;
  for (auto one = std::next(median_ns.rbegin()); one != median_ns.rend(); ++one) {
    if (one->second <= (1 + kShare) * best_later_ns) gains.enough = one->first;
    best_later_ns = std::min(best_later_ns, one->second);
  }
  return gains;
}

MeasuredSmCurve measure_sm_curve(const Experiment& experiment, const Configuration& configuration,
                                 Measurer& measurer, const SmCurveOptions& options) {
  return SmCurveMeasurer(experiment, configuration, measurer, options).measure();
}

}  // namespace tailwave
