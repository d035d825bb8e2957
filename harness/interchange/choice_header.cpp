#include "interchange/choice_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "interchange/choice_lookup.h"
#include "interchange/expression_code.h"

namespace tailwave {
namespace {

// Writes tables and functions of all devices; each table is one array, in which a device's part follows another's.
class ChoiceWriter {
 public:
  ChoiceWriter(const Wisdom& wisdom, const std::vector<Field>& problem, const std::vector<Field>& parameters)
      : wisdom_(wisdom), problem_(problem), parameters_(parameters) {
    for (const WisdomEntry& entry : wisdom.entries) variants_.insert(entry.configuration.variant);
    if (wisdom.standard) variants_.insert(wisdom.standard->variant);
    for (const WisdomChoice& one : wisdom.choices)
      for (const SafeCandidate& candidate : one.choice.candidates)
        variants_.insert(candidate.configuration.variant);
  }

  [[nodiscard]] std::string code() {
    std::string text = std::string(kChoiceStruct) +
                       fmt::format("\ninline constexpr Configuration default_configuration = {};\n",
                                   configuration(*wisdom_.standard));
    text += "\nnamespace detail {\n" + std::string(kExpressionFunctions) + variant_numbers() + fits();
    for (const WisdomChoice& one : wisdom_.choices) add_device(one);
    text += sizes() + blocks() + std::string(kOverhang) + overhang() + tables() + std::string(kChoose);
    return text + std::string(kFits);
  }

 private:
  [[nodiscard]] std::string configuration(const Configuration& one) const {
    const std::string own = row(one.parameters, parameters_);
    return fmt::format("{{{}{}{}}}", literal_of_text(one.variant), own.empty() ? "" : ", ", own);
  }

  [[nodiscard]] std::size_t number_of_variant(const std::string& variant) const {
    return static_cast<std::size_t>(std::distance(variants_.begin(), variants_.find(variant)));
  }

  [[nodiscard]] const Field& field_of(const std::string& quantity) const {
    return *std::ranges::find(problem_, quantity, &Field::name);
  }

  // The texts that a quantity has anywhere, in order: their places are their numbers.
  [[nodiscard]] std::vector<std::string> texts_of(const Field& field) const {
    std::set<Value> values;
    for (const WisdomChoice& one : wisdom_.choices)
      for (const Values& problem : one.choice.problems) values.insert(problem.at(field.name));
    std::vector<std::string> texts;
    for (const Value& value : values) texts.push_back(to_string(value));
    return texts;
  }

  [[nodiscard]] double number_of(const Field& field, const Value& value) const {
    if (field.kind != FieldKind::text) return to_double(value);
    const std::vector<std::string> texts = texts_of(field);
    return static_cast<double>(std::ranges::find(texts, to_string(value)) - texts.begin());
  }

  // The problem as numbers, of which the axes are made.
  [[nodiscard]] std::string sizes() const {
    std::string text = fmt::format(
        "\nconstexpr int kQuantities = {};\n"
        "inline void set_sizes([[maybe_unused]] const Problem& problem, [[maybe_unused]] double* sizes) {{\n",
        std::max<std::size_t>(problem_.size(), 1));
    for (std::size_t i = 0; i < problem_.size(); ++i)
      text += fmt::format("  sizes[{}] = {};\n", i, size_of(problem_[i]));
    return text + "}\n";
  }

  [[nodiscard]] std::string size_of(const Field& field) const {
    if (field.kind != FieldKind::text) return fmt::format("static_cast<double>(problem.{})", field.member);
    std::string code;
    const std::vector<std::string> texts = texts_of(field);
    for (std::size_t i = 0; i < texts.size(); ++i)
      code += fmt::format("problem.{} == {} ? {}.0 : ", field.member, literal_of_text(texts[i]), i);
    return code + "-1.0";
  }

  [[nodiscard]] NameCodes names() const {
    NameCodes names;
    const auto add = [&](const Field& field, const char* object) {
      if (field.is_mixed) return;
      const bool is_text = field.kind == FieldKind::text;
      const std::string member = fmt::format("{}.{}", object, field.member);
      names[field.name] = {is_text ? member : "static_cast<double>(" + member + ")", is_text};
    };
    for (const Field& field : problem_) add(field, "problem");
    for (const Field& field : parameters_) add(field, "configuration");
    return names;
  }

  // The value of an expression of expression_code.h, or `otherwise` where that has none.
  static std::string evaluated(std::string_view type, const std::string& code, std::string_view otherwise) {
    return fmt::format(
        "[&] {{\n        bool known = true;\n        const {} value = {};\n        return known ? value : {};\n      "
        "}}()",
        type, code, otherwise);
  }

  // A function over the number of a variant; `body` of a variant is an expression of C++.
  template <class Body>
  [[nodiscard]] std::string by_variant(std::string_view signature, std::string_view otherwise,
                                       Body body) const {
    std::string text = fmt::format(
        "\ninline {}(int variant, [[maybe_unused]] const Problem& problem, [[maybe_unused]] const Configuration& "
        "configuration) {{\n  switch (variant) {{\n",
        signature);
    for (const std::string& variant : variants_)
      text += fmt::format("    case {}:\n      return {};\n", number_of_variant(variant), body(variant));
    return text + fmt::format("    default:\n      return {};\n  }}\n}}\n", otherwise);
  }

  [[nodiscard]] std::string variant_numbers() const {
    std::vector<std::string> names;
    for (const std::string& variant : variants_) names.push_back(literal_of_text(variant));
    return "\n" + array("std::string_view", "variants", names) + std::string(kNumberOfVariant);
  }

  [[nodiscard]] std::string fits() const {
    return "\n// As fits() below, of a variant by its number." +
           by_variant("bool fits", "false", [&](const std::string& variant) {
             std::vector<std::string> codes;
             const auto conditions = wisdom_.conditions.find(variant);
             if (conditions == wisdom_.conditions.end()) return std::string("true");
             for (const Expression& one : conditions->second)
               codes.push_back(truth_code(one, names()).value_or("false"));
             return codes.empty() ? "true"
                                  : evaluated("bool", fmt::format("{}", fmt::join(codes, " && ")), "false");
           });
  }

  [[nodiscard]] std::string product(const GridExpressions& grid) const {
    std::vector<std::string> codes;
    for (const Expression& one : grid) codes.push_back(number_code(one, names()).value_or("nothing(known)"));
    return fmt::format("{}", fmt::join(codes, " * "));
  }

  [[nodiscard]] std::string blocks() const {
    return "\n// Blocks of the main launch; 0: not known." +
           by_variant("double blocks", "0.0", [&](const std::string& variant) {
             const auto grid = wisdom_.grids.find(variant);
             return grid == wisdom_.grids.end() ? "0.0" : evaluated("double", product(grid->second), "0.0");
           });
  }

  [[nodiscard]] std::string overhang() const {
    return "\n// How many blocks of the main launch the problem needs without rounding, and how many it fills, as a ratio." +
           by_variant("double overhang", "1.0", [&](const std::string& variant) {
             const auto grid = wisdom_.grids.find(variant);
             if (grid == wisdom_.grids.end()) return std::string("1.0");
             const OverhangExpressions of = overhang_expressions(grid->second);
             return evaluated(
                 "double", fmt::format("overhang_of({}, {})", product(of.needed), product(of.full)), "1.0");
           });
  }

  void add_axis(const SizeAxis& axis) {
    axes_.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", quantities_.size(), axis.quantities.size(),
                                places_.size(), axis.places.size(), axis.between));
    for (const std::string& quantity : axis.quantities)
      quantities_.push_back(std::to_string(&field_of(quantity) - problem_.data()));
    for (const std::vector<Value>& place : axis.places)
      for (std::size_t i = 0; i < place.size(); ++i)
        places_.push_back(to_define(Value(number_of(field_of(axis.quantities[i]), place[i]))));
  }

  void add_candidate(const SafeCandidate& one, const std::vector<std::size_t>& order) {
    candidates_.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}}}", configuration(one.configuration),
                                      number_of_variant(one.configuration.variant),
                                      to_define(Value(one.slots.slots)), to_define(Value(one.slots.sms)),
                                      to_define(Value(one.filling)), to_define(Value(one.overhang_power)),
                                      literal_of_text(one.unverified)));
    for (const std::size_t problem : order) costs_.push_back(to_define(Value(one.log_costs[problem])));
  }

  void add_device(const WisdomChoice& one) {
    const SizeAxes& sizes = one.choice.axes;
    std::vector<std::size_t> order(sizes.points.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t problem) { return sizes.key(sizes.points[problem]); });
    devices_.push_back(fmt::format("{{{{{}, {}, {}}}, {}, {}, {}, {}, {}, {}, {}}}",
                                   literal_of_text(one.device), one.compute_capability, one.sms, axes_.size(),
                                   sizes.axes.size(), keys_.size(), order.size(), candidates_.size(),
                                   one.choice.candidates.size(), costs_.size()));
    for (const std::size_t problem : order) keys_.push_back(std::to_string(sizes.key(sizes.points[problem])));
    for (const SafeCandidate& candidate : one.choice.candidates) add_candidate(candidate, order);
    int doubled = 0;
    for (const SizeAxis& axis : sizes.axes) {
      add_axis(axis);
      if (axis.between && axis.places.size() > 1) ++doubled;
    }
    most_corners_ = std::max(most_corners_, 1 << doubled);
  }

  static std::string array(std::string_view type, std::string_view name,
                           const std::vector<std::string>& items) {
    // An array of nothing is none.
    return fmt::format("inline constexpr {} {}[] = {{{}}};\n", type, name,
                       items.empty() ? "{}" : fmt::format("{}", fmt::join(items, ", ")));
  }

  // Behind the last place nobody looks, which compilers do not see.
  static std::vector<std::string> with_room(std::vector<std::string> places, std::size_t more) {
    places.resize(places.size() + more, "0.0");
    return places;
  }

  [[nodiscard]] std::string tables() const {
    return std::string(kChoiceTables) + fmt::format("constexpr int kMostCorners = {};\n", most_corners_) +
           array("int", "quantities", quantities_) +
           array("double", "places", with_room(places_, quantities_.size())) + array("Axis", "axes", axes_) +
           array("std::int64_t", "keys", keys_) + array("double", "log_costs", costs_) +
           array("Candidate", "candidates", candidates_) + array("Known", "tables", devices_);
  }

  const Wisdom& wisdom_;
  const std::vector<Field>& problem_;
  const std::vector<Field>& parameters_;
  std::set<std::string> variants_;
  std::vector<std::string> quantities_, places_, axes_, keys_, costs_, candidates_, devices_;
  int most_corners_ = 2;  // a compiler does not see that one has no other
};

}  // namespace

std::string choice_code(const Wisdom& wisdom, const std::vector<Field>& problem,
                        const std::vector<Field>& parameters) {
  return wisdom.standard ? ChoiceWriter(wisdom, problem, parameters).code() : "";
}

}  // namespace tailwave
