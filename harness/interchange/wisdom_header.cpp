#include "interchange/wisdom_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <regex>
#include <string_view>

namespace tailwave {
namespace {

enum class FieldKind { boolean, whole, real, text };

struct Field {
  std::string name;  // of the parameter or problem quantity
  std::string member;
  FieldKind kind = FieldKind::boolean;
  std::string first;  // the literal of the first entry that has it
};

std::string literal_of_text(const std::string& text) {
  std::string literal = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\')
      literal += std::string("\\") + character;
    else if (byte < 0x20 || byte == 0x7f)
      literal += fmt::format("\\{:03o}", byte);
    else
      literal += character;
  }
  return literal + '"';
}

// Keywords of C++20 and their other spellings, what the header itself names, and macros of compilers and of what it
// includes.
constexpr std::string_view kTakenNames =
    " alignas alignof "
    "and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float "
    "for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator "
    "or or_eq private protected public register reinterpret_cast requires return short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq Configuration "
    "Device Entry Problem std variant BIG_ENDIAN BYTE_ORDER EXIT_FAILURE EXIT_SUCCESS LITTLE_ENDIAN "
    "HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN NULL alloca errno linux "
    "math_errhandling unix ";

// What <cmath>, <cstdint> and what they include define besides, in families: FP_ZERO, M_PI, INT8_MAX.
bool is_macro_of_numbers(const std::string& name) {
  static const std::regex kMacros(
      "M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)[flx0-9]*|"
      "SNAN.*|HUGE_VAL_.*|"
      "FP_(NAN|INFINITE|ZERO|SUBNORMAL|NORMAL|ILOGB.*|LLOGB.*|INT_.*|FAST_.*)|"
      "(U?INT[0-9]*|U?INT_(LEAST|FAST)[0-9]+|U?INTPTR|U?INTMAX|PTRDIFF|SIZE|SIG_ATOMIC|WCHAR|WINT|RAND|MB_CUR)"
      "_(MAX|MIN|WIDTH|C)");
  constexpr std::size_t kLongest = 64;  // of those names; matching takes stack by the character
  return name.size() <= kLongest && std::regex_match(name, kMacros);
}

// Names that begin with two underscores, or with one and a capital letter, belong to the compiler.
bool is_of_compiler(const std::string& name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

// The name as a C++ identifier.
std::string identifier(const std::string& name) {
  std::string text;
  for (const char character : name)
    text += std::isalnum(static_cast<unsigned char>(character)) != 0 ? character : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(0, "n");
  if (is_of_compiler(text)) text.insert(0, "n");
  if (kTakenNames.find(' ' + text + ' ') != std::string_view::npos || is_macro_of_numbers(text)) text += '_';
  return text;
}

// For a comment: on one line, whatever a file's name holds.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char character) { return std::iscntrl(static_cast<unsigned char>(character)) != 0; }, ' ');
  return text;
}

FieldKind kind_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return FieldKind::boolean;
  if (std::holds_alternative<std::int64_t>(value)) return FieldKind::whole;
  return std::holds_alternative<double>(value) ? FieldKind::real : FieldKind::text;
}

FieldKind kind_for_both(FieldKind one, FieldKind other) {
  if (one == other) return one;
  const auto is_number = [](FieldKind kind) { return kind == FieldKind::whole || kind == FieldKind::real; };
  return is_number(one) && is_number(other) ? FieldKind::real : FieldKind::text;
}

std::string literal(const Value& value, FieldKind kind) {
  if (kind == FieldKind::text) return literal_of_text(to_string(value));
  if (kind == FieldKind::real) return to_define(to_double(value));
  // Its digits alone are too large a number for the '-' before them.
  if (value == Value(std::numeric_limits<std::int64_t>::min())) return "INT64_MIN";
  return to_string(value);
}

std::string_view type_name(FieldKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"bool", "std::int64_t", "double", "std::string_view"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view empty_literal(FieldKind kind) {
  constexpr std::array<std::string_view, 4> kEmpty{"false", "0", "0.0", "\"\""};
  return kEmpty[static_cast<std::size_t>(kind)];
}

std::vector<Field> fields(const Wisdom& wisdom, Values Configuration::*values) {
  std::map<std::string, std::vector<Value>> all;
  for (const WisdomEntry& entry : wisdom.entries)
    for (const auto& [name, value] : entry.configuration.*values) all[name].push_back(value);
  std::vector<Field> result;
  for (const auto& [name, of_entries] : all) {
    Field field{name, identifier(name), kind_of(of_entries[0]), ""};
    for (const Value& value : of_entries) field.kind = kind_for_both(field.kind, kind_of(value));
    field.first = literal(of_entries[0], field.kind);
    const auto has_same_member = [&](const Field& other) { return other.member == field.member; };
    while (std::any_of(result.begin(), result.end(), has_same_member)) field.member += '_';
    result.push_back(std::move(field));
  }
  return result;
}

std::string row(const Values& values, const std::vector<Field>& fields) {
  std::vector<std::string> literals;
  for (const Field& field : fields) {
    const auto found = values.find(field.name);
    literals.push_back(found == values.end() ? std::string(empty_literal(field.kind))
                                             : literal(found->second, field.kind));
  }
  return fmt::format("{}", fmt::join(literals, ", "));
}

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

}  // namespace

std::string wisdom_header(const Wisdom& wisdom) {
  const std::vector<Field> problem = fields(wisdom, &Configuration::problem);
  const std::vector<Field> parameters = fields(wisdom, &Configuration::parameters);
  const std::string name = identifier(wisdom.system + "_" + wisdom.experiment);
  std::string text = fmt::format(
      "// {}: the best configuration for each GPU and problem that experiment '{}' was run with;\n"
      "// metric {}, the {} the better. Written by 'tailwave export --format header': not to be edited. "
      "Needs C++17.\n"
      "//\n//   const auto entry = tailwave_wisdom::{}::best(device_name, compute_capability, sms, "
      "problem);\n"
      "#ifndef TAILWAVE_WISDOM_{}\n#define TAILWAVE_WISDOM_{}\n\n"
      "#include <cmath>\n#include <cstdint>\n#include <string_view>\n\nnamespace tailwave_wisdom::{} {{\n\n",
      on_one_line(wisdom.system), on_one_line(wisdom.experiment), on_one_line(wisdom.metric),
      wisdom.maximise ? "larger" : "smaller", name, name, name, name);
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
  return text + fmt::format("\n}}  // namespace tailwave_wisdom::{}\n\n#endif\n", name);
}

}  // namespace tailwave
