#include "interchange/wisdom_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "interchange/choice_header.h"
#include "interchange/header_fields.h"

namespace tailwave {
namespace {

// The part that is the same in every header.
constexpr std::string_view kLookUp = R"(
namespace detail {

// How far apart two sizes are: the absolute logarithm of their ratio. Of numbers that have none, their difference.
inline double distance(double one, double other) {
  if (one == other) return 0;
  return one > 0 && other > 0 ? std::fabs(std::log(one / other)) : std::fabs(one - other);
}
// A text, true or false that is another one counts as much as a size a million times as large.
inline double distance(std::string_view one, std::string_view other) { return one == other ? 0 : 14; }
inline double distance(bool one, bool other) { return one == other ? 0 : 14; }
inline double distance(std::int64_t one, std::int64_t other) {
  return distance(static_cast<double>(one), static_cast<double>(other));
}

// 0: the device itself; 1: one of the same compute capability; 2: another.
inline int rank(const Device& known, std::string_view name, int compute_capability) {
  if (known.name == name) return 0;
  return compute_capability > 0 && known.compute_capability == compute_capability ? 1 : 2;
}

inline double sm_distance(const Device& known, int sms) {
  return known.sms > 0 && sms > 0 ? distance(static_cast<double>(known.sms), static_cast<double>(sms)) : 1e9;
}
)";

std::string problem_distance(const std::vector<Field>& problem) {
  std::vector<std::string> terms;
  for (const Field& field : problem)
    terms.push_back(fmt::format("distance(one.{0}, other.{0})", field.member));
  if (terms.empty())
    return "\ninline double problem_distance(const Problem&, const Problem&) { return 0; }\n";
  return fmt::format(
      "\ninline double problem_distance(const Problem& one, const Problem& other) {{\n  return {};\n}}\n",
      fmt::join(terms, " + "));
}

constexpr std::string_view kBest = R"(
}  // namespace detail

// The entry for the device of this name, else for those of the same compute capability, else for any; of several
// devices the one with the nearest number of SMs; and of that device's the nearest problem. All by ratios. 0 SMs or
// compute capability 0: not known.
inline Entry best(std::string_view device_name, int compute_capability, int sms, const Problem& problem = Problem{}) {
  const Entry* nearest = nullptr;
  int nearest_rank = 0;
  double nearest_sms = 0, nearest_problem = 0;
  for (const Entry& entry : entries) {
    const int rank = detail::rank(entry.device, device_name, compute_capability);
    const double by_sms = rank == 0 ? 0 : detail::sm_distance(entry.device, sms);
    const double by_problem = detail::problem_distance(entry.problem, problem);
    const bool as_near = nearest != nullptr && rank == nearest_rank;
    const bool nearer = nearest == nullptr || rank < nearest_rank || (as_near && by_sms < nearest_sms) ||
                        (as_near && by_sms == nearest_sms && entry.device.name == nearest->device.name &&
                         by_problem < nearest_problem);
    if (!nearer) continue;
    nearest = &entry;
    nearest_rank = rank;
    nearest_sms = by_sms;
    nearest_problem = by_problem;
  }
  return *nearest;
}
)";

// For whoever reads the header: programs find it in each entry.
std::string unverified_remark(const Wisdom& wisdom) {
  const bool any =
      std::ranges::any_of(wisdom.entries, [](const WisdomEntry& entry) { return !entry.unverified.empty(); });
  return any ? "// UNVERIFIED: nothing says whether the results of entries with `unverified` are right.\n\n"
             : "";
}

std::string how_to_use(const Wisdom& wisdom, const std::string& name) {
  if (!wisdom.standard)
    return fmt::format(
        "//   const auto entry = tailwave_wisdom::{}::best(device_name, compute_capability, sms, problem);\n//\n"
        "// No choose(): what the default is, is not known.\n",
        name);
  return fmt::format(
      "// Never known to be slower than the default ({}):\n"
      "//   const auto choice = tailwave_wisdom::{}::choose(device_name, problem);\n"
      "// The best of what was measured nearest:\n"
      "//   const auto entry = tailwave_wisdom::{}::best(device_name, compute_capability, sms, problem);\n",
      on_one_line(wisdom.standard->name()), name, name);
}

// What a program ships that builds the configurations of all entries.
std::string over_sizes_remark(const Wisdom& wisdom) {
  std::string text;
  for (const WisdomOverSizes& one : wisdom.over_sizes) {
    text += fmt::format(
        "// {}: {} configuration{} for all problems, each with the best of them: geometric mean {:.4g} of "
        "each problem's best, worst case {:.4g}{}.\n",
        on_one_line(one.device), one.kept.size(), one.kept.size() == 1 ? "" : "s", one.choice.geometric_mean,
        one.choice.worst_case, one.choice.exact ? "" : ", not exact");
    for (const Configuration& kept : one.kept) text += fmt::format("//   {}\n", on_one_line(kept.name()));
  }
  return text.empty() ? "" : text + "\n";
}

std::string structs(const std::vector<Field>& problem, const std::vector<Field>& parameters) {
  std::string text =
      "struct Device {\n"
      "  std::string_view name;\n"
      "  int compute_capability = 0;  // 90 for 9.0; 0: not known\n"
      "  int sms = 0;                 // 0: not known\n"
      "};\n\n"
      "// What the first entry has, unless given.\n"
      "struct Problem {\n";
  for (const Field& field : problem)
    text += fmt::format("  {} {} = {};\n", type_name(field.kind), field.member, field.first);
  text +=
      "};\n\n"
      "// A parameter that a variant lacks is 0, false or empty.\n"
      "struct Configuration {\n"
      "  std::string_view variant;\n";
  for (const Field& field : parameters)
    text += fmt::format("  {} {} = {};\n", type_name(field.kind), field.member, empty_literal(field.kind));
  return text +
         "};\n\n"
         "struct Entry {\n"
         "  Device device;\n"
         "  Problem problem;\n"
         "  Configuration configuration;\n"
         "  double value = 0;                  // of the metric, in SI units\n"
         "  std::string_view unverified = {};  // why nothing says whether its results are right; empty: they were verified\n"
         "};\n";
}

// The problems of choices: with more of them than entries have, a quantity may have another type.
std::vector<Configuration> measured_sizes(const Wisdom& wisdom) {
  std::vector<Configuration> sizes;
  for (const WisdomChoice& one : wisdom.choices)
    for (const Values& problem : one.choice.problems) sizes.push_back({"", "", {}, problem});
  return sizes;
}

// All whose names and values the header has, entries first.
std::vector<const Configuration*> configurations_in(const Wisdom& wisdom,
                                                    const std::vector<Configuration>& sizes) {
  std::vector<const Configuration*> all;
  for (const WisdomEntry& entry : wisdom.entries) all.push_back(&entry.configuration);
  if (wisdom.standard) all.push_back(&*wisdom.standard);
  for (const WisdomChoice& one : wisdom.choices)
    for (const SafeCandidate& candidate : one.choice.candidates) all.push_back(&candidate.configuration);
  for (const Configuration& size : sizes) all.push_back(&size);
  return all;
}

}  // namespace

std::string wisdom_header(const Wisdom& wisdom) {
  const std::vector<Configuration> sizes = measured_sizes(wisdom);
  const std::vector<const Configuration*> all = configurations_in(wisdom, sizes);
  const std::vector<Field> problem = fields(all, &Configuration::problem);
  const std::vector<Field> parameters = fields(all, &Configuration::parameters);
  const std::string name = identifier(wisdom.system + "_" + wisdom.experiment);
  std::string text = fmt::format(
      "// {}: the best configuration for each GPU and problem that experiment '{}' was run with;\n"
      "// metric {}, the {} the better. Written by 'tailwave export --format header': not to be edited. "
      "Needs C++17.\n"
      "//\n{}"
      "#ifndef TAILWAVE_WISDOM_{}\n#define TAILWAVE_WISDOM_{}\n\n"
      "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <string_view>\n\nnamespace tailwave_wisdom::{} {{\n\n",
      on_one_line(wisdom.system), on_one_line(wisdom.experiment), on_one_line(wisdom.metric),
      wisdom.maximise ? "larger" : "smaller", how_to_use(wisdom, name), name, name, name);
  text += over_sizes_remark(wisdom) + unverified_remark(wisdom) + structs(problem, parameters) +
          "\ninline constexpr Entry entries[] = {\n";
  for (const WisdomEntry& entry : wisdom.entries) {
    const std::string own = row(entry.configuration.parameters, parameters);
    text += fmt::format("    {{{{{}, {}, {}}}, {{{}}}, {{{}{}{}}}, {}{}}},\n", literal_of_text(entry.device),
                        entry.compute_capability, entry.sms, row(entry.configuration.problem, problem),
                        literal_of_text(entry.configuration.variant), own.empty() ? "" : ", ", own,
                        to_define(entry.value),
                        entry.unverified.empty() ? "" : ", " + literal_of_text(entry.unverified));
  }
  text += "};\n" + std::string(kLookUp) + problem_distance(problem) + std::string(kBest);
  text += choice_code(wisdom, problem, parameters);
  return text + fmt::format("\n}}  // namespace tailwave_wisdom::{}\n\n#endif\n", name);
}

}  // namespace tailwave
