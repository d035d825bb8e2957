#include "report/gains_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "report/baseline.h"
#include "report/gains.h"
#include "report/limits.h"
#include "report/markdown.h"
#include "report/section_text.h"
#include "report/winner.h"

namespace tailwave {
namespace {

// With more problems a section has of the winners of others only the one by which most is lost.
constexpr std::size_t kMostProblems = 6;

using Of = Gain::Of;
using GainRefs = std::vector<const Gain*>;

struct ShownDevice {
  const Study* study;
  const DeviceStudy* device;
  std::vector<ProblemGains> problems;
};

GainRefs gains_of_kind(const ProblemGains& problem, Of of) {
  GainRefs found;
  for (const Gain& gain : problem.gains)
    if (gain.of == of) found.push_back(&gain);
  return found;
}

bool is_shown(const std::vector<ProblemGains>& problems) {
  return problems.size() > 1 || std::ranges::any_of(problems, [](const ProblemGains& problem) {
           return !gains_of_kind(problem, Of::other_variant).empty();
         });
}

std::vector<ShownDevice> shown_devices(Database& database, const std::vector<Study>& studies) {
  std::vector<ShownDevice> shown;
  for (const Study& study : studies)
    for (const DeviceStudy& device : study.devices)
      if (auto problems = gains_of(database, study, device); is_shown(problems))
        shown.push_back({&study, &device, std::move(problems)});
  return shown;
}

// "1.22 (1.21 to 1.23)"; with what the comparison of all says where that is not that it is slower. "" without a time.
std::string times_cell(const ProblemGains& problem, const Gain& gain) {
  if (!gain.times) return "";
  if (gain.measured == problem.best) return "1, it is the best";
  std::string text = times_text(*gain.times) + times_interval_text(gain.interval);
  const std::optional<Standing>& standing = gain.measured->standing;
  // Of several with the same least median one is called the best, and it may be another.
  if (standing == Standing::unclear) text += ", unclear";
  if (standing == Standing::tied || standing == Standing::best) text += ", tied";
  return text;
}

// Of those with a time, by how much worse they are: the least or the most; null: none has.
const Gain* extreme(const GainRefs& gains, bool most) {
  const Gain* found = nullptr;
  for (const Gain* gain : gains)
    if (gain->times &&
        (found == nullptr || (most ? *gain->times > *found->times : *gain->times < *found->times)))
      found = gain;
  return found;
}

// "wrong_result", "2 not measured": of those without a time.
std::string without_time(const GainRefs& gains) {
  std::map<std::string, std::size_t> counts;
  for (const Gain* gain : gains)
    if (!gain->times) ++counts[gain->outcome];
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts)
    parts.push_back(count == 1 ? prose(outcome) : fmt::format("{} {}", count, prose(outcome)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What stands for several: "1.22 (1.21 to 1.23): winner of N 4096; wrong_result". Of variants those without a time are said only
// where none has one.
std::string extreme_cell(const ProblemGains& problem, Of of, bool most) {
  const GainRefs gains = gains_of_kind(problem, of);
  std::string missing = without_time(gains);
  const Gain* const one = extreme(gains, most);
  if (one == nullptr) return missing;
  const std::string text = gains.size() == 1 && of == Of::other_problem
                               ? times_cell(problem, *one)
                               : fmt::format("{}: {}", times_cell(problem, *one), prose(one->beside));
  return missing.empty() || of == Of::other_variant ? text : text + "; " + missing;
}

// "1.22 (1.21 to 1.23)"; of a default that failed "wrong_result; in its place 1.22 (1.21 to 1.23)".
std::string default_cell(const ProblemGains& problem) {
  const GainRefs gains = gains_of_kind(problem, Of::standard);
  const std::string times = times_cell(problem, *gains.front());
  return gains.size() == 1 ? times : fmt::format("{}; in its place {}", prose(gains.back()->outcome), times);
}

// The variant, and of its parameters those that vary and that all which are tied with the best have alike.
std::string main_parameters(const Study& study, const DeviceStudy& device, const StudyRow& best) {
  std::string text = best.variant;
  std::vector<const StudyRow*> rows = rows_beside(device, best);
  std::erase_if(rows, [&](const StudyRow* row) { return row->variant != best.variant; });
  for (const std::string& name : study.names) {
    const auto own = best.parameters.find(name);
    if (own == best.parameters.end()) continue;
    bool varies = false, alike = true;
    for (const StudyRow* row : rows) {
      const auto found = row->parameters.find(name);
      if (found != row->parameters.end() && found->second == own->second) continue;
      varies = true;
      alike = alike && !(row->standing == Standing::best || row->standing == Standing::tied);
    }
    if (varies && alike) text += fmt::format(", {} {}", name, to_shown(own->second));
  }
  return text;
}

class GainsPage {
 public:
  GainsPage(Database& database, std::vector<ShownDevice> shown)
      : database_(database), shown_(std::move(shown)) {
    for (const ShownDevice& one : shown_)
      several_devices_ = several_devices_ || one.device->device != shown_.front().device->device;
  }

  [[nodiscard]] std::string text(bool partly) const {
    std::string text =
        "# What tuning gained\n\nThe best of each problem beside the default, beside the winner of each other problem of "
        "the experiment, used at this one, and beside the best of each other variant: how many times as slow these are, "
        "with intervals of 95 %. Those that the comparison of all with the best does not show to be slower are called tied or unclear, "
        "as in the [results](README.md). `tailwave query gains` and `limits` have all of it.\n\n"
        "Of the winner's parameters those are named that vary, and that all of its variant which are tied with it have "
        "alike.";
    if (partly) text += " These are the experiments of this report alone; the database has others.";
    if (!several_devices_) text += fmt::format(" All on {}.", prose(shown_.front().device->device));
    return text + "\n\n" + overview() + details();
  }

 private:
  [[nodiscard]] std::string device_of(const ShownDevice& one) const {
    return several_devices_ ? prose(one.device->device) : "";
  }

  [[nodiscard]] std::string overview() const {
    MarkdownTable table({"experiment", "device", "problem", "winner", "time:", "of the limit:", "limited by",
                         "the default, times:", "the worst winner of another problem, times:",
                         "the best other variant, times:"});
    for (const ShownDevice& one : shown_)
      for (const ProblemGains& problem : one.problems) {
        const KnownLimits limits = limits_of(database_, problem.best->trial_id);
        table.add({fmt::format("[{}]({})", prose(one.study->name()), address(one.study->name() + ".md")),
                   device_of(one), prose(problem.problem),
                   prose(main_parameters(*one.study, *one.device, *problem.best)) +
                       (problem.best->unverified.empty() ? "" : " (unverified)"),
                   problem.best->median_s ? format_time(*problem.best->median_s) : "",
                   limits.limit_share
                       ? fmt::format("{} ({})", percent(*limits.limit_share), prose(limits.limit))
                       : "",
                   prose(limits_text(limits)), default_cell(problem),
                   extreme_cell(problem, Of::other_problem, true),
                   extreme_cell(problem, Of::other_variant, false)});
      }
    return table.text();
  }

  [[nodiscard]] std::string details() const {
    std::string text;
    for (const ShownDevice& one : shown_) {
      text += fmt::format("\n## {}{}\n\n", prose(one.study->name()),
                          several_devices_ ? " on " + prose(one.device->device) : "");
      const bool all = one.problems.size() <= kMostProblems;
      if (!all)
        text +=
            "Of the winners of other problems only the one by which most is lost: `tailwave query gains` has all.\n\n";
      MarkdownTable table(
          {"problem", "beside the best", "configuration", "time:", "times as slow:", "verdict", "outcome"});
      for (const ProblemGains& problem : one.problems) add_problem(table, *one.study, problem, all);
      text += table.text();
    }
    return text;
  }

  static void add_problem(MarkdownTable& table, const Study& study, const ProblemGains& problem, bool all) {
    const StudyRow& best = *problem.best;
    const std::string is = prose(problem.problem);
    table.add({is, "(the best)", code(full_name(study, best)),
               best.median_s ? format_time(*best.median_s) : "", "1", "", outcome_text(best)});
    const Gain* const worst = extreme(gains_of_kind(problem, Of::other_problem), true);
    for (const Gain& gain : problem.gains) {
      if (!all && gain.of == Of::other_problem && gain.times && &gain != worst) continue;
      const auto& measured = gain.measured;
      table.add(
          {is,
           prose(&gain == &problem.gains.front() ? fmt::format("{}: {}", gain.beside, problem.baseline_is)
                                                 : gain.beside),
           gain.chosen == nullptr ? "" : code(full_name(study, *gain.chosen)),
           measured != nullptr && measured->median_s ? format_time(*measured->median_s) : "",
           gain.times ? times_text(*gain.times) + times_interval_text(gain.interval) : "",
           measured != nullptr && measured->standing ? std::string(to_string(*measured->standing)) : "",
           prose(gain.outcome)});
    }
  }

  Database& database_;
  std::vector<ShownDevice> shown_;
  bool several_devices_ = false;
};

}  // namespace

std::string gains_page(Database& database, const std::vector<Study>& studies, bool partly) {
  std::vector<ShownDevice> shown = shown_devices(database, studies);
  return shown.empty() ? "" : GainsPage(database, std::move(shown)).text(partly);
}

}  // namespace tailwave
