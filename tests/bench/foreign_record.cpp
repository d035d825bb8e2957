// foreign_record FOLDER: how good predict_foreign() is on public measurements (foreign_data.py writes them to
// FOLDER). Prints Markdown: the spreads that occupancy/foreign_time.h has, beside those of the training kernels here;
// errors of candidates; how often intervals held, with a kernel or a card left out, and on the kernels set aside as
// test; ranks; what known times are worth; counters. Errors are |ln(predicted / measured)|. Numbers of a kernel are
// means over its pairs of cards (and spaces), numbers of several kernels means over kernels: a kernel counts once,
// whoever measured it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "json/json_file.h"
#include "occupancy/foreign_time.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

// The same configurations on two cards.
struct Pair {
  std::string kernel, space;
  bool test = false;
  DeviceSpec source, target;
  std::vector<double> source_ms, target_ms;
  std::vector<std::string> keys;
  std::vector<ForeignCase> cases;

  [[nodiscard]] bool same() const { return source.compute_capability == target.compute_capability; }
  [[nodiscard]] double log_ratio(std::size_t i) const { return std::log(target_ms[i] / source_ms[i]); }
};
using Pairs = std::vector<Pair>;
using Choose = std::function<bool(const Pair&)>;

double ratio(const Pair& pair, DeviceLimit limit) {
  const double sms = belongs_to_sms(limit) ? static_cast<double>(pair.source.sms) / pair.target.sms : 1;
  return sms * offered(pair.source, limit) / offered(pair.target, limit);
}

GridOnDevice launch_of(const Json& row, const DeviceSpec& device) {
  GridOnDevice launch{.grid = row.at(0).whole(), .block = row.at(1).whole(), .sms = device.sms};
  KernelResources kernel;
  kernel.registers = row.at(2).small();
  kernel.static_shared_bytes = row.at(3).whole();
  launch.blocks_per_sm = compute_occupancy(device, kernel, {launch.block, 1, 1}, 0).blocks_per_sm;
  return launch;
}

void add_case(const Json& space, const std::string& key, Pair& pair) {
  ForeignCase one{.time_ns = pair.source_ms.back() * 1e6};
  const auto launch = [&](const DeviceSpec& device) -> std::optional<GridOnDevice> {
    const Json row = space.find("launches").find(device.name).find(key);
    if (!row) return std::nullopt;
    const GridOnDevice found = launch_of(row, device);
    return found.blocks_per_sm > 0 ? std::optional(found) : std::nullopt;
  };
  one.source_launch = launch(pair.source);
  one.target_launch = launch(pair.target);
  if (const Json uses = space.find("uses").find(pair.source.name).find(key)) {
    one.counters.emplace();
    for (const auto& [limit, use] : uses.members())
      one.counters->of(*find_enum<DeviceLimit>(limit)) = use.real();
  }
  pair.cases.push_back(one);
}

void add_pairs(const Json& space, Pairs& pairs) {
  const auto devices = space.at("times").members();
  for (const auto& [from, source_times] : devices) {
    std::map<std::string, double> times;
    for (const auto& [key, time] : source_times.members()) times[key] = time.real();
    for (const auto& [to, target_times] : devices) {
      if (from == to) continue;
      Pair pair{space.at("kernel").text(),
                space.at("space").text(),
                space.at("role").text() == "test",
                find_device(from),
                find_device(to),
                {},
                {},
                {},
                {}};
      for (const auto& [key, time] : target_times.members()) {
        const auto found = times.find(key);
        if (found == times.end()) continue;
        pair.source_ms.push_back(found->second);
        pair.target_ms.push_back(time.real());
        pair.keys.push_back(key);
        add_case(space, key, pair);
      }
      if (!pair.keys.empty()) pairs.push_back(std::move(pair));
    }
  }
}

bool has_counters(const Pair& pair) {
  return pair.cases.front().counters.has_value();
}

// The mean over kernels of the mean over pairs; NaN where there is none.
double mean_over_kernels(const Pairs& pairs, const Choose& choose,
                         const std::function<double(const Pair&)>& value) {
  std::map<std::string, std::vector<double>> kernels;
  for (const Pair& pair : pairs)
    if (choose(pair)) kernels[pair.kernel].push_back(value(pair));
  double sum = 0;
  for (const auto& [kernel, values] : kernels) {
    double of_kernel = 0;
    for (const double one : values) of_kernel += one;
    sum += of_kernel / static_cast<double>(values.size());
  }
  return sum / static_cast<double>(kernels.size());
}

std::vector<double> log_ratios(const Pair& pair) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < pair.keys.size(); ++i) logs.push_back(pair.log_ratio(i));
  return logs;
}

double centre(const Pair& pair, double memory_weight) {
  return memory_weight * std::log(ratio(pair, DeviceLimit::memory)) +
         (1 - memory_weight) * std::log(ratio(pair, DeviceLimit::fp32));
}

double error_at(const Pair& pair, double centre, double fraction) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < pair.keys.size(); ++i) errors.push_back(std::abs(pair.log_ratio(i) - centre));
  return quantile(errors, fraction);
}

double half_distance(const Pair& pair) {
  return std::log(ratio(pair, DeviceLimit::memory) / ratio(pair, DeviceLimit::fp32)) / 2;
}

ForeignSpread fit(const Pairs& pairs, const Choose& choose) {
  const double shared = mean_over_kernels(pairs, choose, [](const Pair& pair) {
    const double offset = median(log_ratios(pair)) - centre(pair, 0.5);
    return offset * offset - half_distance(pair) * half_distance(pair) / 3;
  });
  const double own = mean_over_kernels(pairs, choose, [](const Pair& pair) {
    const std::vector<double> logs = log_ratios(pair);
    const double middle = median(logs);
    double sum = 0;
    for (const double one : logs) sum += (one - middle) * (one - middle);
    return sum / static_cast<double>(logs.size());
  });
  return {std::sqrt(std::max(shared, 0.0)), std::sqrt(own)};
}

double held(const Pair& pair, const ForeignSpread& spread, double z) {
  const double width = z * std::hypot(spread.shared, spread.own, half_distance(pair) / std::sqrt(3.0));
  double inside = 0;
  for (std::size_t i = 0; i < pair.keys.size(); ++i)
    inside += std::abs(pair.log_ratio(i) - centre(pair, 0.5)) <= width ? 1 : 0;
  return inside / static_cast<double>(pair.keys.size());
}

const ForeignSpread& shipped(bool same) {
  return same ? kSameCapability : kOtherCapability;
}

Choose both(Choose one, Choose other) {
  return [=](const Pair& pair) { return one(pair) && other(pair); };
}
Choose capability(bool same) {
  return [same](const Pair& pair) { return pair.same() == same; };
}
const Choose kTraining = [](const Pair& pair) { return !pair.test && !has_counters(pair); };
const Choose kTest = [](const Pair& pair) { return pair.test && !has_counters(pair); };

void print_data(const Pairs& pairs) {
  std::map<std::string, std::pair<std::set<std::string>, std::size_t>> spaces;
  std::map<std::string, std::string> about;
  for (const Pair& pair : pairs) {
    spaces[pair.space].first.insert(pair.source.name);
    spaces[pair.space].second = std::max(spaces[pair.space].second, pair.keys.size());
    about[pair.space] = fmt::format("{} | {}", pair.kernel, pair.test ? "test" : "training");
  }
  fmt::print("## Spaces\n\n| space | kernel | role | cards | configurations |\n|---|---|---|---|---:|\n");
  for (const auto& [space, found] : spaces) {
    std::string cards;
    for (const std::string& card : found.first) cards += (cards.empty() ? "" : ", ") + card;
    fmt::print("| {} | {} | {} | {} |\n", space, about[space], cards, found.second);
  }
}

void print_spreads(const Pairs& pairs) {
  fmt::print(
      "\n## Spreads of the training kernels\n\n| | shared | own | in foreign_time.h |\n|---|---:|---:|---|\n");
  for (const bool same : {true, false}) {
    const ForeignSpread found = fit(pairs, both(kTraining, capability(same)));
    fmt::print("| {} capability | {:.3f} | {:.3f} | {}, {} |\n", same ? "same" : "other", found.shared,
               found.own, shipped(same).shared, shipped(same).own);
  }
}

struct Candidate {
  std::string name;
  std::function<double(const Pair&, const Pairs&)> centre;
};

// The weight of memory that is best for the other kernels.
double fitted_weight(const Pairs& pairs, const std::string& without) {
  double best = 0;
  double least = INFINITY;
  for (int step = 0; step <= 20; ++step) {
    const double weight = step / 20.0;
    const double error =
        mean_over_kernels(pairs, both(kTraining, [&](const Pair& pair) { return pair.kernel != without; }),
                          [&](const Pair& pair) { return error_at(pair, centre(pair, weight), 0.5); });
    if (error < least) best = weight;
    least = std::min(least, error);
  }
  return best;
}

void print_candidates(const Pairs& pairs) {
  std::map<std::string, double> weights;
  for (const Pair& pair : pairs)
    if (!weights.contains(pair.kernel)) weights[pair.kernel] = fitted_weight(pairs, pair.kernel);
  const auto by_limit = [](DeviceLimit limit) {
    return [limit](const Pair& pair, const Pairs&) { return std::log(ratio(pair, limit)); };
  };
  const std::vector<Candidate> candidates{
      {"the source's time", [](const Pair&, const Pairs&) { return 0.0; }},
      {"bandwidth", by_limit(DeviceLimit::memory)},
      {"FP32", by_limit(DeviceLimit::fp32)},
      {"shared memory", by_limit(DeviceLimit::shared_memory)},
      {"issue (SMs x clock)", by_limit(DeviceLimit::issue)},
      {"bandwidth and FP32, weight fitted to the other kernels",
       [&](const Pair& pair, const Pairs&) { return centre(pair, weights.at(pair.kernel)); }},
      {"**bandwidth and FP32 alike**", [](const Pair& pair, const Pairs&) { return centre(pair, 0.5); }}};
  for (const bool test : {false, true}) {
    fmt::print(
        "\n## Errors, {} kernels\n\n| | all: median | 95 % | same capability: median | 95 % | other: median | 95 % |\n"
        "|---|---:|---:|---:|---:|---:|---:|\n",
        test ? "test" : "training");
    for (const Candidate& candidate : candidates) {
      fmt::print("| {} |", candidate.name);
      for (const Choose& choose :
           {Choose([](const Pair&) { return true; }), capability(true), capability(false)})
        for (const double fraction : {0.5, 0.95})
          fmt::print(" {:.2f} |",
                     mean_over_kernels(pairs, both(test ? kTest : kTraining, choose), [&](const Pair& pair) {
                       return error_at(pair, candidate.centre(pair, pairs), fraction);
                     }));
      fmt::print("\n");
    }
  }
}

std::set<std::string> names(const Pairs& pairs, const Choose& choose,
                            const std::function<std::string(const Pair&)>& name) {
  std::set<std::string> found;
  for (const Pair& pair : pairs)
    if (choose(pair)) found.insert(name(pair));
  return found;
}

// With spreads of the training pairs that are not left out, held on those that are.
void print_left_out(const Pairs& pairs, bool same, const std::string& what,
                    const std::function<bool(const Pair&, const std::string&)>& concerns,
                    const std::function<bool(const Pair&, const std::string&)>& asked,
                    const std::set<std::string>& all) {
  const Choose here = both(kTraining, capability(same));
  double likely = 0, nearly_sure = 0, count = 0;
  for (const std::string& one : all) {
    const Choose others = both(here, [&](const Pair& pair) { return !concerns(pair, one); });
    if (names(pairs, others, [](const Pair& pair) { return pair.kernel; }).empty()) continue;
    const ForeignSpread spread = fit(pairs, others);
    const Choose these = both(here, [&](const Pair& pair) { return asked(pair, one); });
    if (names(pairs, these, [](const Pair& pair) { return pair.kernel; }).empty()) continue;
    likely += mean_over_kernels(pairs, these, [&](const Pair& pair) { return held(pair, spread, kLikely); });
    nearly_sure +=
        mean_over_kernels(pairs, these, [&](const Pair& pair) { return held(pair, spread, kNearlySure); });
    ++count;
  }
  fmt::print("| {} capability, {} left out ({}) | {:.0f} % | {:.0f} % |\n", same ? "same" : "other", what,
             count, 100 * likely / count, 100 * nearly_sure / count);
}

void print_calibration(const Pairs& pairs) {
  fmt::print("\n## How often intervals held\n\n| | 80 % interval | 95 % interval |\n|---|---:|---:|\n");
  const auto kernel = [](const Pair& pair) { return pair.kernel; };
  for (const bool same : {true, false}) {
    const auto is_kernel = [](const Pair& pair, const std::string& name) { return pair.kernel == name; };
    const auto has_card = [](const Pair& pair, const std::string& name) {
      return pair.source.name == name || pair.target.name == name;
    };
    const auto to_card = [](const Pair& pair, const std::string& name) { return pair.target.name == name; };
    print_left_out(pairs, same, "a kernel", is_kernel, is_kernel, names(pairs, kTraining, kernel));
    print_left_out(pairs, same, "a card", has_card, to_card,
                   names(pairs, kTraining, [](const Pair& pair) { return pair.target.name; }));
  }
  for (const bool same : {true, false}) {
    const Choose these = both(kTest, capability(same));
    std::vector<std::pair<std::string, Choose>> parts;
    for (const std::string& name : names(pairs, these, kernel))
      parts.emplace_back(name, both(these, [=](const Pair& pair) { return pair.kernel == name; }));
    parts.emplace_back("**all test kernels**", these);
    for (const auto& [name, choose] : parts)
      fmt::print(
          "| {} capability, {} | {:.0f} % | {:.0f} % |\n", same ? "same" : "other", name,
          100 * mean_over_kernels(pairs, choose,
                                  [&](const Pair& pair) { return held(pair, shipped(same), kLikely); }),
          100 * mean_over_kernels(pairs, choose,
                                  [&](const Pair& pair) { return held(pair, shipped(same), kNearlySure); }));
  }
}

struct Ranks {
  double correlation = 0, regret_of_best = 0, regret_of_ten = 0;
};

Ranks ranks_of(const std::vector<double>& predicted, const std::vector<double>& measured) {
  std::vector<std::size_t> order(predicted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] < predicted[b]; });
  const double optimum = *std::min_element(measured.begin(), measured.end());
  double of_ten = measured[order[0]];
  for (std::size_t i = 0; i < std::min<std::size_t>(10, order.size()); ++i)
    of_ten = std::min(of_ten, measured[order[i]]);
  return {rank_correlation(predicted, measured), measured[order[0]] / optimum, of_ten / optimum};
}

// Of each target: by one source, the mean over sources; and by all of them together.
void print_ranks(const Pairs& pairs) {
  fmt::print(
      "\n## Order of configurations\n\nRegret: the time of the best predicted (of the best of the first ten) over the "
      "target's optimum. Spaces of 100 configurations and more.\n\n"
      "| space, target | one source: error | rank correlation | regret | of ten | all sources: error | rank "
      "correlation | regret | of ten |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  std::map<std::pair<std::string, std::string>, std::vector<const Pair*>> targets;
  for (const Pair& pair : pairs)
    if (!has_counters(pair) && pair.keys.size() >= 100)
      targets[{pair.space, pair.target.name}].push_back(&pair);
  for (const auto& [name, sources] : targets) {
    if (name.first.ends_with("KTT")) continue;
    double error = 0;
    Ranks mean;
    std::map<std::string, std::vector<ForeignTime>> predictions;
    std::map<std::string, double> measured;
    for (const Pair* pair : sources) {
      std::vector<double> predicted;
      for (std::size_t i = 0; i < pair->keys.size(); ++i) {
        const ForeignTime time = predict_foreign(pair->cases[i], pair->source, pair->target);
        predicted.push_back(time.time_ns);
        predictions[pair->keys[i]].push_back(time);
        measured[pair->keys[i]] = pair->target_ms[i];
      }
      const Ranks ranks = ranks_of(predicted, pair->target_ms);
      const double share = 1 / static_cast<double>(sources.size());
      mean.correlation += share * ranks.correlation;
      mean.regret_of_best += share * ranks.regret_of_best;
      mean.regret_of_ten += share * ranks.regret_of_ten;
      error += share * error_at(*pair, centre(*pair, 0.5), 0.5);
    }
    std::vector<double> together, truth, errors;
    for (const auto& [key, times] : predictions) {
      if (times.size() < sources.size()) continue;
      together.push_back(combine_foreign(times).time_ns / 1e6);
      truth.push_back(measured[key]);
      errors.push_back(std::abs(std::log(together.back() / truth.back())));
    }
    const Ranks all = ranks_of(together, truth);
    fmt::print("| {}{}, {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n",
               name.first, sources.front()->test ? " (test)" : "", name.second, error, mean.correlation,
               mean.regret_of_best, mean.regret_of_ten, median(errors), all.correlation, all.regret_of_best,
               all.regret_of_ten);
  }
}

std::vector<std::size_t> by_source_time(const Pair& pair) {
  std::vector<std::size_t> order(pair.keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pair.source_ms[a] < pair.source_ms[b]; });
  return order;
}

// What predictions say after some of the configurations were measured on the target: of the others, and of those of
// them that are among the tenth that is fastest on the source.
struct Judged {
  std::vector<double> errors, errors_of_fastest;
  double likely = 0, nearly_sure = 0;
};

enum class KnownOnes { fastest, spread };

Judged judge_known(const Pair& pair, std::size_t count, KnownOnes which) {
  const std::vector<std::size_t> order = by_source_time(pair);
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i)
    places.insert(which == KnownOnes::fastest || count == 1 ? i : i * (order.size() - 1) / (count - 1));
  std::vector<KnownTime> known;
  for (const std::size_t place : places) {
    const std::size_t i = order[place];
    known.push_back({predict_foreign(pair.cases[i], pair.source, pair.target), pair.target_ms[i] * 1e6});
  }
  const SharedError error = shared_error(known);
  Judged judged;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (places.contains(place)) continue;
    const std::size_t i = order[place];
    const ForeignTime time = corrected(predict_foreign(pair.cases[i], pair.source, pair.target), error);
    judged.errors.push_back(std::abs(std::log(pair.target_ms[i] * 1e6 / time.time_ns)));
    if (place < order.size() / 10) judged.errors_of_fastest.push_back(judged.errors.back());
    judged.likely += judged.errors.back() <= kLikely * time.spread() ? 1 : 0;
    judged.nearly_sure += judged.errors.back() <= kNearlySure * time.spread() ? 1 : 0;
  }
  judged.likely /= static_cast<double>(judged.errors.size());
  judged.nearly_sure /= static_cast<double>(judged.errors.size());
  return judged;
}

void print_known(const Pairs& pairs) {
  fmt::print(
      "\n## Known times\n\nSome configurations measured on the target, the others predicted. Spaces of 100 "
      "configurations and more.\n\n| kernels | known | median error | 95 % | median of the source's fastest tenth | in "
      "the 80 % interval | in the 95 % interval |\n|---|---|---:|---:|---:|---:|---:|\n");
  for (const bool test : {false, true}) {
    const Choose large =
        both(test ? kTest : kTraining, [](const Pair& pair) { return pair.keys.size() >= 100; });
    for (const auto& [count, which] :
         std::vector<std::pair<std::size_t, KnownOnes>>{{0, KnownOnes::fastest},
                                                        {1, KnownOnes::fastest},
                                                        {3, KnownOnes::fastest},
                                                        {10, KnownOnes::fastest},
                                                        {30, KnownOnes::fastest},
                                                        {3, KnownOnes::spread},
                                                        {10, KnownOnes::spread},
                                                        {30, KnownOnes::spread}}) {
      std::map<const Pair*, Judged> judged;
      for (const Pair& pair : pairs)
        if (large(pair)) judged[&pair] = judge_known(pair, count, which);
      const auto mean = [&](const std::function<double(const Judged&)>& value) {
        return mean_over_kernels(pairs, large, [&](const Pair& pair) { return value(judged.at(&pair)); });
      };
      fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} % | {:.0f} % |\n", test ? "test" : "training",
                 count == 0                    ? "none"
                 : which == KnownOnes::fastest ? fmt::format("the fastest {} of the source", count)
                                               : fmt::format("{} spread over its order", count),
                 mean([](const Judged& one) { return quantile(one.errors, 0.5); }),
                 mean([](const Judged& one) { return quantile(one.errors, 0.95); }),
                 mean([](const Judged& one) { return quantile(one.errors_of_fastest, 0.5); }),
                 100 * mean([](const Judged& one) { return one.likely; }),
                 100 * mean([](const Judged& one) { return one.nearly_sure; }));
    }
  }
}

void print_counters(const Pairs& pairs) {
  fmt::print(
      "\n## Counters of an RTX 2080 Ti, times of an RTX 3090\n\n| kernel | | median error | 95 % | rank correlation "
      "| in the 80 % interval | in the 95 % interval |\n|---|---|---:|---:|---:|---:|---:|\n");
  for (const Pair& pair : pairs) {
    if (!has_counters(pair)) continue;
    for (const bool counted : {false, true}) {
      std::vector<double> errors, predicted;
      double likely = 0, nearly_sure = 0;
      for (std::size_t i = 0; i < pair.keys.size(); ++i) {
        ForeignCase one = pair.cases[i];
        if (!counted) one.counters.reset();
        const ForeignTime time = predict_foreign(one, pair.source, pair.target);
        predicted.push_back(time.time_ns);
        errors.push_back(std::abs(std::log(pair.target_ms[i] * 1e6 / time.time_ns)));
        likely += errors.back() <= kLikely * time.spread() ? 1 : 0;
        nearly_sure += errors.back() <= kNearlySure * time.spread() ? 1 : 0;
      }
      const auto count = static_cast<double>(errors.size());
      fmt::print("| {} ({}) | {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} % | {:.0f} % |\n", pair.kernel,
                 pair.test ? "test" : "training", counted ? "times and counters" : "times",
                 quantile(errors, 0.5), quantile(errors, 0.95), rank_correlation(predicted, pair.target_ms),
                 100 * likely / count, 100 * nearly_sure / count);
    }
  }
}

}  // namespace
}  // namespace tailwave

int main(int argc, char** argv) {
  using namespace tailwave;
  if (argc < 2) {
    std::fputs("usage: foreign_record FOLDER [training]\n", stderr);
    return 2;
  }
  const bool without_test = argc > 2;  // while anything is still being chosen
  Pairs pairs;
  std::set<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(argv[1]))
    if (file.path().extension() == ".json") files.insert(file.path());
  for (const auto& file : files) {
    const Json space = read_json_file(file).document;
    if (without_test && space.at("role").text() == "test") continue;
    add_pairs(space, pairs);
  }
  print_data(pairs);
  print_spreads(pairs);
  print_candidates(pairs);
  print_calibration(pairs);
  print_ranks(pairs);
  print_known(pairs);
  print_counters(pairs);
}
