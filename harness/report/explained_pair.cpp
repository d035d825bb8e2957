#include "report/explained_pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "json/values.h"
#include "report/baseline.h"
#include "report/queries.h"
#include "report/study_reader.h"
#include "spec/select.h"
#include "store/contents.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

constexpr const char* kBest = "best";
constexpr const char* kWorst = "worst";
constexpr const char* kBaseline = "baseline";
constexpr std::size_t kMostListed = 8;

std::string text_of(const Values& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : to_string(found->second);
}

// By experiment, device and problem, the best first: those of kernels, with the device of their run, or all others, which are
// programs and host variants, with their own.
std::vector<ExplainedTrial> ranked_trials(Database& database, const Values& parameters, bool kernels = true) {
  Statement row = database.prepare(R"(
    SELECT ranked_trial.trial_id, ranked_trial.system || '/' || experiment, iif(:kernels, run_device, device), place, of_ranked, unverified, )" +
                                   columns_of<Configuration>("configuration") + R"(
    FROM ranked_trial JOIN configuration ON configuration.id = configuration_id
    WHERE (peers = 0 AND ranked_trial.kind = run_kind) = :kernels
      AND EXISTS (SELECT 1 FROM sample WHERE sample.trial_id = ranked_trial.trial_id AND dropped IS NULL)
      AND (:experiment = '' AND instr(experiment, '@') = 0 OR :experiment IN (experiment, ranked_trial.system || '/' || experiment))
      AND (:system = '' OR :system = ranked_trial.system) AND (:device = '' OR :device IN (run_device, run_kind))
    ORDER BY ranked_trial.system, experiment, run_kind DESC, run_device, ranked_trial.problem, place)");
  for (const char* name : {"experiment", "system", "device"})
    row.bind(std::string(":") + name, text_of(parameters, name));
  row.bind(":kernels", static_cast<std::int64_t>(kernels));
  std::vector<ExplainedTrial> all;
  while (row.step())
    all.push_back({.trial_id = row.integer(0),
                   .experiment = row.text(1),
                   .device = row.text(2),
                   .configuration = read_row<Configuration>(row, 6),
                   .place = row.integer(3),
                   .of_ranked = row.integer(4),
                   .unverified = row.text(5)});
  return all;
}

bool compete(const ExplainedTrial& one, const ExplainedTrial& other) {
  return one.experiment == other.experiment && one.device == other.device &&
         one.configuration.problem == other.configuration.problem;
}

// Those that were not measured, since machine code and launches are those of one of these, which are of one experiment.
std::vector<ExplainedTrial> identical_trials(Database& database,
                                             const std::vector<ExplainedTrial>& measured) {
  Statement row =
      database.prepare("SELECT measured_trial_id, " + columns_of<Configuration>("configuration") + R"(
    FROM current_trial
      CROSS JOIN identical_trial USING (trial_id)
      CROSS JOIN configuration ON configuration.id = configuration_id
    WHERE current_trial.outcome = 'skipped_identical' AND current_trial.system || '/' || experiment = ?
    ORDER BY configuration.name)");
  std::vector<ExplainedTrial> all;
  for (row.bind_all(measured.front().experiment); row.step();) {
    const auto twin =
        std::ranges::find(measured, row.optional_integer(0).value_or(0), &ExplainedTrial::trial_id);
    if (twin == measured.end()) continue;
    ExplainedTrial& same = all.emplace_back(*twin);
    same.configuration = read_row<Configuration>(row, 1);
    same.same_as = twin->configuration.name();
    same.is_baseline = false;
  }
  return all;
}

// Of all kernels with a value, by problem.
void mark_baselines(Database& database, const Values& parameters, std::vector<ExplainedTrial>& trials) {
  std::set<std::int64_t> baselines;
  for (const Study& study : load_results(database, parameters))
    for (const DeviceStudy& device : study.devices) {
      std::map<Values, StudyRows> kernels;
      for (const StudyRow& row : device.rows)
        if (row.value && row.peers == 0 && device.ran_here(row)) kernels[row.problem].push_back(&row);
      for (const auto& [problem, rows] : kernels) baselines.insert(baseline_of(rows).row->trial_id);
    }
  for (ExplainedTrial& one : trials) one.is_baseline = baselines.contains(one.trial_id);
}

// Of those of one problem, the best first: its baseline, or the best of a variant; null: there is none.
const ExplainedTrial* baseline_among(const std::vector<const ExplainedTrial*>& trials,
                                     const std::string& variant) {
  const auto found = std::ranges::find_if(trials, [&](const ExplainedTrial* one) {
    return variant.empty() ? one->is_baseline : one->configuration.variant == variant;
  });
  return found == trials.end() ? nullptr : *found;
}

// Those of an experiment on a device by their problems, as numbers.
void order_problems(std::vector<ExplainedPair>& pairs) {
  for (auto begin = pairs.begin(), end = begin; begin != pairs.end(); begin = end) {
    end = std::find_if(begin, pairs.end(), [&](const ExplainedPair& one) {
      return one.a.experiment != begin->a.experiment || one.a.device != begin->a.device;
    });
    std::stable_sort(begin, end, [](const ExplainedPair& one, const ExplainedPair& other) {
      return one.a.configuration.problem < other.a.configuration.problem;
    });
  }
}

// "N=4096"
std::string problem_text(const Values& problem) {
  std::string text;
  for (const auto& [name, value] : problem)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, to_string(value));
  return text;
}

// What a person wrote for a side.
class SideText {
 public:
  explicit SideText(const std::string& text) : text_(text), rest_(text) {
    for (const char* word : {kBest, kWorst, kBaseline}) {
      if (text != word && !text.starts_with(std::string(word) + ",")) continue;
      word_ = word;
      rest_ = text.size() > word_.size() ? text.substr(word_.size() + 1) : "";
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

  // Those that may be meant, the best first.
  [[nodiscard]] std::vector<const ExplainedTrial*> fitting(const std::vector<ExplainedTrial>& trials,
                                                           const std::string& file) const {
    std::vector<Configuration> configurations;
    for (const ExplainedTrial& one : trials) configurations.push_back(one.configuration);
    std::set<std::string> names;
    for (const Configuration& one : select_configurations(configurations, rest_, file))
      names.insert(one.name());
    std::vector<const ExplainedTrial*> meant;
    for (const ExplainedTrial& one : trials)
      if (names.contains(one.configuration.name())) meant.push_back(&one);
    return meant;
  }

  // The first of those that may be meant; empty where there is none.
  [[nodiscard]] std::optional<ExplainedTrial> first_of(const std::vector<ExplainedTrial>& trials,
                                                       const std::string& file) const {
    try {
      if (!trials.empty()) return *fitting(trials, file).front();
    } catch (const Error&) {
    }
    return std::nullopt;
  }

  // Of these, which are of one problem. Throws Error where that variant has none.
  [[nodiscard]] const ExplainedTrial& choose(const std::vector<const ExplainedTrial*>& meant,
                                             const std::string& baseline) const {
    if (word_ == kWorst) return *meant.back();
    if (word_ != kBaseline) return *meant.front();
    if (const ExplainedTrial* const found = baseline_among(meant, baseline)) return *found;
    if (baseline.empty())
      throw Error(Diagnostic{.cause = fmt::format("the baseline is none of what '{}' means", text_),
                             .hint = "leave its values out, or name a variant by --baseline"});
    std::set<std::string> variants;
    for (const ExplainedTrial* one : meant) variants.insert(one->configuration.variant);
    throw Error(Diagnostic{.cause = fmt::format("the variant '{}' has no time there", baseline),
                           .hint = fmt::format("these have: {}", fmt::join(variants, ", "))});
  }

 private:
  std::string text_, rest_, word_;
};

// Throws Error where they are of several experiments.
void require_one_experiment(const std::vector<ExplainedTrial>& trials, const std::string& file) {
  std::set<std::string> names;
  for (const ExplainedTrial& one : trials) names.insert(one.experiment);
  if (names.size() <= 1) return;
  const std::size_t all = names.size();
  std::vector<std::string> some(names.begin(), names.end());
  some.resize(std::min(all, kMostListed));
  throw Error(Diagnostic{.file = file,
                         .cause = fmt::format("has {} experiments with times", all),
                         .hint = fmt::format("say which with --experiment: {}{}", fmt::join(some, ", "),
                                             all > kMostListed ? ", ..." : "")});
}

// What a person wrote and nothing fits that is explained, though the database has it.
[[noreturn]] void refuse_what_fits(const ExplainedTrial& one, const std::string& text,
                                   const std::string& explained_device, bool is_kernel) {
  throw Error(Diagnostic{
      .cause = fmt::format("'{}' is {} on {}; {} are explained", text, one.configuration.name(), one.device,
                           is_kernel ? "times on " + explained_device : "times of kernels alone"),
      .hint = is_kernel ? fmt::format("--device \"{}\" explains those", one.device)
                        : "'tailwave query best' ranks programs and host variants"});
}

// Leaves those of the device that ran the experiment last. The names of the others.
std::vector<std::string> keep_latest_device(Database& database, std::vector<ExplainedTrial>& trials) {
  std::set<std::string> names;
  for (const ExplainedTrial& one : trials) names.insert(one.device);
  std::vector<std::string> devices(names.begin(), names.end());
  const std::string latest = latest_device(database, trials.front().experiment, devices);
  std::erase(devices, latest);
  std::erase_if(trials, [&](const ExplainedTrial& one) { return one.device != latest; });
  return devices;
}

// The one problem that both may mean.
Values common_problem(const std::vector<const ExplainedTrial*>& a,
                      const std::vector<const ExplainedTrial*>& b, const SideText& text_a,
                      const SideText& text_b) {
  std::vector<Values> common;
  for (const ExplainedTrial* one : a) {
    const Values& problem = one->configuration.problem;
    const bool in_b = std::ranges::any_of(
        b, [&](const ExplainedTrial* other) { return other->configuration.problem == problem; });
    if (in_b && std::ranges::find(common, problem) == common.end()) common.push_back(problem);
  }
  if (common.size() == 1) return common.front();
  if (common.empty())
    throw Error(
        Diagnostic{.cause = fmt::format("'{}' and '{}' are of different problems: {} and {}", text_a.text(),
                                        text_b.text(), problem_text(a.front()->configuration.problem),
                                        problem_text(b.front()->configuration.problem)),
                   .hint = "times of the same problem are compared"});
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < std::min(common.size(), kMostListed); ++i)
    problems.push_back(problem_text(common[i]));
  throw Error(Diagnostic{.cause = fmt::format("'{}' and '{}' may be of {} problems: {}{}", text_a.text(),
                                              text_b.text(), common.size(), fmt::join(problems, ", "),
                                              common.size() > kMostListed ? ", ..." : ""),
                         .hint = fmt::format("say which, as in best,{}", problems.front())});
}

void keep_problem(std::vector<const ExplainedTrial*>& trials, const Values& problem) {
  std::erase_if(trials, [&](const ExplainedTrial* one) { return one->configuration.problem != problem; });
}

// Where programs or host variants alone have times, these are what there is, and nothing is known of how they ran.
void refuse_programs(Database& database, const Values& parameters) {
  Statement row = database.prepare(R"(
    SELECT group_concat(variant, ', ') FROM (
      SELECT DISTINCT variant FROM ranked_trial
      WHERE peers > 0 AND (:experiment = '' OR :experiment IN (experiment, system || '/' || experiment))
        AND (:system = '' OR :system = system) AND (:device = '' OR :device IN (run_device, run_kind))
      ORDER BY 1))");
  for (const char* name : {"experiment", "system", "device"})
    row.bind(std::string(":") + name, text_of(parameters, name));
  if (!row.step() || row.is_null(0)) return;
  throw Error(Diagnostic{
      .file = database.file().string(),
      .cause = "no kernel has a time there, and times of programs and host variants are not explained: " +
               row.text(0),
      .hint = "'tailwave query best' ranks them"});
}

}  // namespace

std::vector<ExplainedPair> best_and_baselines(Database& database, const Values& parameters) {
  std::vector<ExplainedTrial> trials = ranked_trials(database, parameters);
  mark_baselines(database, parameters, trials);
  std::vector<ExplainedPair> pairs;
  for (auto begin = trials.begin(), end = begin; begin != trials.end(); begin = end) {
    end = std::find_if(begin, trials.end(), [&](const ExplainedTrial& one) { return !compete(*begin, one); });
    std::vector<const ExplainedTrial*> alike;
    std::transform(begin, end, std::back_inserter(alike), [](const ExplainedTrial& one) { return &one; });
    const ExplainedTrial* const baseline = baseline_among(alike, text_of(parameters, "baseline"));
    if (baseline != nullptr && baseline != alike.front()) pairs.push_back({*alike.front(), *baseline, {}});
  }
  order_problems(pairs);
  return pairs;
}

ExplainedPair find_pair(Database& database, const std::string& a, const std::string& b,
                        const Values& parameters) {
  const std::string file = database.file().string();
  std::vector<ExplainedTrial> trials = ranked_trials(database, parameters);
  if (trials.empty()) {
    require_known_names(database, parameters);
    refuse_programs(database, parameters);
    throw Error(Diagnostic{.file = file,
                           .cause = "has no configuration with a time there",
                           .hint = "'tailwave query runs' shows what it has"});
  }
  require_one_experiment(trials, file);
  mark_baselines(database, parameters, trials);
  const std::vector<ExplainedTrial> on_all_devices = trials;
  std::vector<std::string> other_devices = keep_latest_device(database, trials);
  const SideText text_a(a), text_b(b.empty() ? kBaseline : b);
  std::optional<std::vector<ExplainedTrial>> identical;
  const auto fitting = [&](const SideText& text) {
    try {
      return text.fitting(trials, file);
    } catch (const Error&) {
      if (!identical) identical = identical_trials(database, trials);
      if (text.first_of(*identical, file)) return text.fitting(*identical, file);
      if (const auto other = text.first_of(on_all_devices, file))
        refuse_what_fits(*other, text.text(), trials.front().device, true);
      if (const auto other = text.first_of(ranked_trials(database, parameters, false), file))
        refuse_what_fits(*other, text.text(), trials.front().device, false);
      throw;
    }
  };
  std::vector<const ExplainedTrial*> of_a = fitting(text_a), of_b = fitting(text_b);
  const Values problem = common_problem(of_a, of_b, text_a, text_b);
  keep_problem(of_a, problem);
  keep_problem(of_b, problem);
  const std::string baseline = text_of(parameters, "baseline");
  ExplainedPair pair{text_a.choose(of_a, baseline), text_b.choose(of_b, baseline), std::move(other_devices)};
  const auto is_one = [&] { return pair.a.configuration == pair.b.configuration; };
  if (is_one() && b.empty()) pair.b = SideText(kWorst).choose(of_b, baseline);
  if (is_one())
    throw Error(Diagnostic{
        .cause = fmt::format("'{}' and '{}' are both {}", a, text_b.text(), pair.a.configuration.name()),
        .hint = "name another one: worst, or one that 'tailwave query best --limit 20' lists"});
  return pair;
}

Explanation explain(Database& database, const ExplainedPair& pair, const ExplainedNames& names) {
  if (pair.a.trial_id == pair.b.trial_id) return explain_same(names);
  return explain(read_side(database, pair.a.trial_id), read_side(database, pair.b.trial_id), names);
}

Table why_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "device", "problem", "best", "baseline", "quantity", "of_best", "of_baseline",
               "ratio", "unit", "of_best_by", "of_baseline_by", "says"},
              {}};
  for (const ExplainedPair& pair : best_and_baselines(database, parameters)) {
    const Explanation found = explain(database, pair, {"the best", "the baseline"});
    const auto row = [&](const ExplainedNumber& number) {
      table.rows.push_back({pair.a.experiment, pair.a.device, to_json(pair.a.configuration.problem),
                            pair.a.configuration.name(), pair.b.configuration.name(), number.quantity,
                            cell_of(number.a), cell_of(number.b), cell_of(number.ratio()),
                            std::string(to_string(number.unit)), cell_of(number.note_a),
                            cell_of(number.note_b), cell_of(number.says)});
    };
    for (const ExplainedNumber& number : found.numbers) row(number);
    if (!found.missing.empty()) row({.quantity = "not known", .says = found.missing});
  }
  return table;
}

}  // namespace tailwave
