#include "core/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "core/parallel.h"
#include "core/resampler.h"

namespace tailwave {
namespace {

void check(const Series& series) {
  bool any = false;
  for (const std::vector<double>& repetition : series.repetitions) {
    for (const double sample : repetition) {
      if (!std::isfinite(sample) || sample < 0)
        throw std::invalid_argument("a time is negative or not finite");
      any = true;
    }
  }
  if (!any) throw std::invalid_argument("statistics of no samples");
}

void check(double level, int resamples) {
  if (!(level > 0 && level < 1)) throw std::invalid_argument("the level must be between 0 and 1");
  if (resamples < 1) throw std::invalid_argument("there must be a resample");
}

Interval middle(std::vector<double> values, double level) {
  // Not quantile(): infinite ratios cannot be interpolated.
  const auto last = static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(last * (1 - level) / 2));
  std::sort(values.begin(), values.end());
  return {values[low], values[values.size() - 1 - low]};
}

double divide(double first, double second) {
  return first == second ? 1 : first / second;
}

// One configuration among those compared.
struct Contender {
  const Series* series;
  std::uint64_t seed;
  std::size_t samples, units;
  double least, median, most;

  Contender(const Series& all, std::uint64_t seed_of_it) : series(&all), seed(seed_of_it) {
    check(all);
    const Resampler resampler(all, seed);
    samples = resampler.order().size();
    units = resampler.units();
    least = resampler.order().front();
    median = tailwave::median(resampler.order());
    most = resampler.order().back();
  }
};

// Whether chance puts all of `first` above all of `second` with a probability of at most `level`: one of the
// equally likely choices of `first` among the samples of both.
bool order_is_no_chance(std::size_t first, std::size_t second, double level) {
  double choices = 1;
  for (std::size_t i = 1; i <= first && choices * level < 1; ++i)
    choices *= static_cast<double>(second + i) / static_cast<double>(i);
  return choices * level >= 1;
}

// Of one set.
double error_of(const TieOptions& options) {
  return (1 - options.level) / options.together;
}

// Decides what needs no test, in `tied`; the rest, the best among it, is to be tested.
std::vector<const Contender*> sift(const std::vector<Contender>& contenders, const Contender& best,
                                   const TieOptions& options, std::vector<bool>& tied) {
  const auto count = static_cast<double>(contenders.size());
  const double error = error_of(options) / (count * (count - 1));  // any could have come out as best
  std::vector<const Contender*> rivals;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& one = contenders[i];
    const bool apart = one.least > (1 + options.margin) * best.most;
    const bool few = std::min(one.samples, best.samples) < kFewestSamples;
    tied[i] = !(apart && order_is_no_chance(one.units, best.units, error));
    if (!few && tied[i]) rivals.push_back(&one);
  }
  return rivals;
}

// How lucky the best of the rivals is in each resample, at the scale of the selected one.
std::vector<double> selection_luck(const std::vector<const Contender*>& rivals, const Contender& best,
                                   std::size_t resamples) {
  const std::vector<double> none(resamples, -std::numeric_limits<double>::infinity());
  std::vector<double> luckiest = none;
  double error_of_best = 0;
  std::mutex adding;
  const auto add = [&](std::size_t begin, std::size_t end) {
    std::vector<double> of_part = none, errors(resamples);
    for (std::size_t rival = begin; rival < end; ++rival) {
      const Contender& one = *rivals[rival];
      Resampler resampler(*one.series, one.seed);
      double squares = 0;
      for (double& error : errors) {
        error = one.median - resampler.next();
        squares += error * error;
      }
      const double standard_error = std::sqrt(squares / static_cast<double>(resamples));
      if (&one == &best) error_of_best = standard_error;
      for (std::size_t i = 0; i < resamples; ++i)
        of_part[i] = std::max(of_part[i], standard_error > 0 ? errors[i] / standard_error : 0);
    }
    const std::lock_guard lock(adding);
    for (std::size_t i = 0; i < resamples; ++i) luckiest[i] = std::max(luckiest[i], of_part[i]);
  };
  for_parts_of(rivals.size(), add, resamples);
  for (double& luck : luckiest) luck *= error_of_best;
  return luckiest;
}

// The share of resamples in which chance alone gives the best its lead; 1 for all above `most`.
double p_value(const Contender& one, double lead, double margin, const std::vector<double>& selection,
               double most) {
  const auto chance = [&](double resampled, double luck) {
    return one.median - resampled + (1 + margin) * luck;
  };
  const auto possible = static_cast<double>(selection.size() + 1);
  double reached = 1;  // the observation itself
  if (reached > most * possible) return 1;
  // Far behind, no resample reaches it: a resampled median is no lower than the least sample.
  const double luckiest = *std::max_element(selection.begin(), selection.end());
  if (chance(one.least, luckiest) < lead) return reached / possible;
  Resampler resampler(*one.series, one.seed);
  for (const double luck : selection) {
    if (chance(resampler.next(), luck) >= lead) ++reached;
    if (reached > most * possible) return 1;
  }
  return reached / possible;
}

// Sets the elements of `tied` that Holm's procedure rejects to false; whether there were any.
bool reject(std::vector<std::pair<double, std::size_t>> p_values, std::size_t hypotheses, double error,
            std::vector<bool>& tied) {
  std::sort(p_values.begin(), p_values.end());
  std::size_t rejected = 0;
  for (const auto& [p, place] : p_values) {
    if (p * static_cast<double>(hypotheses - rejected) > error) break;
    tied[place] = false;
    ++rejected;
  }
  return rejected > 0;
}

}  // namespace

std::vector<double> samples_of(const Series& series) {
  std::vector<double> samples;
  for (const std::vector<double>& repetition : series.repetitions)
    samples.insert(samples.end(), repetition.begin(), repetition.end());
  return samples;
}

Interval median_interval(const Series& series, const BootstrapOptions& options) {
  check(series);
  check(options.level, options.resamples);
  Resampler resampler(series, options.seed);
  std::vector<double> medians(static_cast<std::size_t>(options.resamples));
  for (double& one : medians) one = resampler.next();
  return middle(std::move(medians), options.level);
}

Interval ratio_interval(const Series& first, const Series& second, const BootstrapOptions& options) {
  check(first);
  check(second);
  check(options.level, options.resamples);
  Resampler above(first, options.seed);
  Resampler below(second, options.seed + 1);
  std::vector<double> ratios(static_cast<std::size_t>(options.resamples));
  for (double& one : ratios) one = divide(above.next(), below.next());
  return middle(std::move(ratios), options.level);
}

std::vector<bool> tied_with_best(const std::vector<Series>& all, const TieOptions& options) {
  check(options.level, options.resamples);
  if (!std::isfinite(options.margin) || options.margin < 0)
    throw std::invalid_argument("the margin must be 0 or more");
  if (options.together < 1) throw std::invalid_argument("there must be a set");
  std::vector<bool> tied(all.size(), true);
  if (all.empty()) return tied;
  std::vector<Contender> contenders;
  for (const Series& series : all) contenders.emplace_back(series, options.seed + contenders.size());
  const auto faster = [](const Contender& a, const Contender& b) { return a.median < b.median; };
  const Contender& best = *std::min_element(contenders.begin(), contenders.end(), faster);
  std::vector<const Contender*> rivals = sift(contenders, best, options, tied);
  const auto place_of = [&](const Contender* one) {
    return static_cast<std::size_t>(one - contenders.data());
  };

  // The others stay: too many to be tested are not told apart.
  if (rivals.size() > kMostRivals) {
    const auto nearer = [](const Contender* a, const Contender* b) { return a->median < b->median; };
    std::nth_element(rivals.begin(), rivals.begin() + kMostRivals, rivals.end(), nearer);
    rivals.resize(kMostRivals);
    if (std::find(rivals.begin(), rivals.end(), &best) == rivals.end()) rivals.back() = &best;
  }

  const double error = error_of(options);
  // Holm's procedure goes on with what the order of samples did not decide, whether it can be resampled or not.
  const auto hypotheses = [&] {
    return static_cast<std::size_t>(std::count(tied.begin(), tied.end(), true));
  };
  const auto resamples = std::max(
      static_cast<std::size_t>(options.resamples),
      static_cast<std::size_t>(std::ceil(static_cast<double>(std::min(hypotheses(), kMostRivals)) / error)));
  for (bool some_left_out = true; some_left_out;) {
    const auto lead_of = [&](const Contender* rival) {
      return rival->median - (1 + options.margin) * best.median;
    };
    std::vector<const Contender*> behind;
    std::ranges::copy_if(rivals, std::back_inserter(behind),
                         [&](const Contender* one) { return lead_of(one) > 0; });
    if (behind.empty()) break;
    const std::vector<double> luck = selection_luck(rivals, best, resamples);
    std::vector<std::pair<double, std::size_t>> p_values(behind.size());
    const auto test = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        p_values[i] = {p_value(*behind[i], lead_of(behind[i]), options.margin, luck, error),
                       place_of(behind[i])};
    };
    for_parts_of(behind.size(), test, resamples);
    some_left_out = reject(std::move(p_values), hypotheses(), error, tied);
    const auto out = [&](const Contender* rival) { return !tied[place_of(rival)]; };
    rivals.erase(std::remove_if(rivals.begin(), rivals.end(), out), rivals.end());
  }
  return tied;
}

}  // namespace tailwave
