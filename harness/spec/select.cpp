#include "spec/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "spec/enumerate.h"
#include "spec/problem_space.h"

namespace tailwave {
namespace {

using Candidates = std::vector<const Configuration*>;

struct Wish {
  std::string name, value;
  bool is_text = false;  // it stood in quotes

  [[nodiscard]] bool is_met_by(const Value& found) const;
};

constexpr const char* kWishHint =
    "for example variant=shared,BLOCK_SIZE=128; a text with a ',' stands in double quotes";

// The first one of the text, which it takes off.
Wish take_wish(std::string_view& rest, const std::string& file) {
  const std::string_view piece = rest.substr(0, rest.find(','));
  const std::size_t equals = piece.find('=');
  if (equals == 0 || equals == std::string_view::npos)
    throw Error(
        Diagnostic{.file = file, .cause = fmt::format("'{}' is not NAME=VALUE", piece), .hint = kWishHint});
  Wish wish{std::string(piece.substr(0, equals)), std::string(piece.substr(equals + 1))};
  wish.is_text = wish.value.starts_with('"');
  const std::string_view whole = rest;
  rest.remove_prefix(wish.is_text ? equals + 1 : piece.size());
  if (!wish.is_text) return wish;
  const std::optional<std::string> text = take_quoted(rest);
  if (!text || (!rest.empty() && rest.front() != ','))
    throw Error(Diagnostic{.file = file,
                           .cause = fmt::format("'{}' has no '\"' that ends the value", whole),
                           .hint = "a '\"' in it is written twice"});
  wish.value = *text;
  return wish;
}

std::vector<Wish> parse_wishes(const std::string& text, const std::string& file) {
  std::vector<Wish> wishes;
  for (std::string_view rest = text; !rest.empty();) {
    Wish wish = take_wish(rest, file);
    if (std::any_of(wishes.begin(), wishes.end(), [&](const Wish& other) { return other.name == wish.name; }))
      throw Error(Diagnostic{.file = file, .cause = fmt::format("'{}' is given twice", wish.name)});
    wishes.push_back(std::move(wish));
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  }
  return wishes;
}

std::optional<Value> value_of(const Configuration& configuration, std::string_view name) {
  if (name == "variant") return configuration.variant;
  for (const Values* values : {&configuration.parameters, &configuration.problem})
    if (const auto found = values->find(name); found != values->end()) return found->second;
  return std::nullopt;
}

bool Wish::is_met_by(const Value& found) const {
  if (is_text) return found == Value{value};
  if (value == to_string(found)) return true;
  // Expressions and T1 files have Python's words, too.
  const Value wanted = value == "True" ? Value{true} : value == "False" ? Value{false} : parse_value(value);
  return !std::holds_alternative<std::string>(wanted) && !std::holds_alternative<std::string>(found) &&
         to_double(wanted) == to_double(found);
}

// `variant`, then parameters, then the problem, each in the order of first appearance.
std::vector<std::string> names_of(const Candidates& candidates) {
  std::vector<std::string> names{"variant"};
  const auto add = [&](const Values& values) {
    for (const auto& [name, value] : values)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Configuration* candidate : candidates) add(candidate->parameters);
  for (const Configuration* candidate : candidates) add(candidate->problem);
  return names;
}

// The different values that candidates have, as far as they have one.
std::vector<std::string> values_of(const Candidates& candidates, const std::string& name) {
  std::vector<std::string> texts;
  for (const Configuration* candidate : candidates) {
    const std::optional<Value> value = value_of(*candidate, name);
    if (!value) continue;
    std::string text = to_shown(*value);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

std::string listed(std::vector<std::string> texts) {
  constexpr std::size_t kMost = 12;
  const bool cut = texts.size() > kMost;
  const std::size_t count = texts.size();
  if (cut) texts.resize(kMost);
  return fmt::format("{}{}", fmt::join(texts, ", "), cut ? fmt::format(", ... ({} values)", count) : "");
}

Candidates those_with(const Candidates& candidates, const Wish& wish) {
  Candidates left;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(left), [&](const Configuration* one) {
    const std::optional<Value> value = value_of(*one, wish.name);
    return value && wish.is_met_by(*value);
  });
  return left;
}

[[noreturn]] void refuse_name(const std::vector<std::string>& names, const std::string& name,
                              const std::string& file) {
  const std::string near = nearest(name, names);
  throw Error(Diagnostic{.file = file,
                         .cause = fmt::format("no configuration has a value named '{}'", name),
                         .hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean '{}'?", near)});
}

[[noreturn]] void refuse_value(const Candidates& left, const std::string& so_far, const Wish& wish,
                               const std::string& file) {
  const std::vector<std::string> values = values_of(left, wish.name);
  const std::string with = so_far.empty() ? "" : fmt::format(" with {}", so_far);
  throw Error(Diagnostic{.file = file,
                         .cause = fmt::format("no configuration{} has {}={}", with, wish.name, wish.value),
                         .hint = values.empty()
                                     ? fmt::format("none of them has a value named '{}'", wish.name)
                                     : fmt::format("{} is there: {}", wish.name, listed(values))});
}

[[noreturn]] void refuse_choice(const Candidates& left, const std::string& text, const std::string& file) {
  std::string hint = "say also:";
  for (const std::string& name : names_of(left))
    if (const std::vector<std::string> values = values_of(left, name); values.size() > 1)
      hint += fmt::format("\n    {}: {}", name, listed(values));
  throw Error(Diagnostic{.file = file,
                         .cause = fmt::format("{} configurations fit '{}', expected one", left.size(), text),
                         .hint = hint});
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

// A name stands for itself, whatever a regular expression makes of its dots.
Candidates those_named(const Candidates& all, const std::string& text, const std::string& file) {
  const re2::RE2 expression(text, re2::RE2::Quiet);
  if (!expression.ok())
    throw Error(
        Diagnostic{.file = file,
                   .cause = fmt::format("'{}' is neither NAME=VALUE,NAME=VALUE nor a regular expression: {}",
                                        shortened(text), shortened(expression.error())),
                   .hint = "expressions are those of RE2: without back references and (?=...)"});
  Candidates left;
  std::copy_if(all.begin(), all.end(), std::back_inserter(left), [&](const Configuration* one) {
    const std::string name = one->name();
    return name == text || re2::RE2::PartialMatch(name, expression);
  });
  if (left.empty())
    throw Error(Diagnostic{.file = file,
                           .cause = fmt::format("'{}' matches none of {} configurations", text, all.size()),
                           .hint = text.ends_with(".json")
                                       ? std::string("that looks like a file: an experiment is named by "
                                                     "--experiment SYSTEM/NAME, or by an argument of its own")
                                       : fmt::format("their names look like {}", all.front()->name())});
  return left;
}

Candidates select(const std::vector<Configuration>& configurations, const std::string& text,
                  const std::string& file) {
  Candidates all;
  for (const Configuration& configuration : configurations) all.push_back(&configuration);
  if (all.empty()) throw Error(Diagnostic{.file = file, .cause = "no configuration to choose from"});
  if (!text.empty() && text.find('=') == std::string::npos) return those_named(all, text, file);
  Candidates left = all;
  std::string so_far;
  for (const Wish& wish : parse_wishes(text, file)) {
    if (values_of(all, wish.name).empty()) refuse_name(names_of(all), wish.name, file);
    Candidates fewer = those_with(left, wish);
    if (fewer.empty()) refuse_value(left, so_far, wish, file);
    left = std::move(fewer);
    so_far += fmt::format("{}{}={}", so_far.empty() ? "" : ",", wish.name, wish.value);
  }
  return left;
}

// Keeps the values of a parameter that are meant.
void keep(std::vector<Value>& values, const Wish& wish) {
  std::erase_if(values, [&](const Value& value) { return !wish.is_met_by(value); });
}

Parameter* find(std::vector<Parameter>& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& one) { return one.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

// An experiment that has the configurations meant alone.
class Restriction {
 public:
  explicit Restriction(Experiment experiment) : experiment_(std::move(experiment)) {}

  void apply(const Wish& wish) {
    known_ = {};
    is_named_ = false;
    names_ = {"variant"};
    std::erase_if(experiment_.cases, [&](Case& each) { return !keep_in(each, wish); });
    if (const auto quantity = experiment_.system.problem.find(wish.name);
        quantity != experiment_.system.problem.end())
      keep_in_problem(wish, quantity->second.default_value);
    const std::string& file = experiment_.file.string();
    if (!is_named_) {
      for (const auto& [name, quantity] : experiment_.system.problem) know_name(name);
      refuse_name(names_, wish.name, file);
    }
    if (experiment_.cases.empty())
      throw Error(Diagnostic{.file = file,
                             .cause = fmt::format("no configuration has {}={}", wish.name, wish.value),
                             .hint = fmt::format("{} is there: {}", wish.name, listed(known_))});
  }

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }

 private:
  void know(const Value& value) {
    is_named_ = true;
    std::string text = to_shown(value);
    if (std::find(known_.begin(), known_.end(), text) == known_.end()) known_.push_back(std::move(text));
  }

  void know_name(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }

  // False where nothing of it is left.
  bool keep_in(Case& each, const Wish& wish) {
    const VariantSpec& variant = *experiment_.system.find_variant(each.variant);
    for (const auto& [name, value] : variant.parameters) know_name(name);
    if (wish.name == "variant") {
      know(each.variant);
      return wish.value == each.variant;
    }
    if (Parameter* parameter = find(each.parameters, wish.name)) {
      for (const Value& value : parameter->values) know(value);
      keep(parameter->values, wish);
      return !parameter->values.empty();
    }
    for (const auto& [name, value] : variant.parameters) {
      if (name != wish.name) continue;
      know(value);
      return wish.is_met_by(value);
    }
    return experiment_.system.problem.contains(wish.name);
  }

  // Whether of listed sizes none has it, which then are no problem at all: what lists none has combinations.
  bool leaves_none(std::vector<ProblemSize>& sizes, std::vector<Parameter>& combined, const Wish& wish) {
    if (sizes.empty()) return false;
    for (const ProblemSize& size : sizes) know(size.problem.at(wish.name));
    std::erase_if(sizes,
                  [&](const ProblemSize& size) { return !wish.is_met_by(size.problem.at(wish.name)); });
    if (sizes.empty()) combined = {{wish.name, {}}};
    return sizes.empty();
  }

  void keep_in_problem(const Wish& wish, const Value& default_value) {
    for (std::vector<Parameter>* quantities : {&experiment_.problem, &experiment_.cpu_problem}) {
      Parameter* own = find(*quantities, wish.name);
      if (own == nullptr) continue;
      for (const Value& value : own->values) know(value);
      keep(own->values, wish);
      if (own->values.empty() && quantities == &experiment_.problem) experiment_.cases.clear();
    }
    const bool none_is_left = leaves_none(experiment_.sizes, experiment_.problem, wish);
    leaves_none(experiment_.cpu_sizes, experiment_.cpu_problem, wish);
    if (none_is_left && experiment_.cpu_sizes.empty()) experiment_.cases.clear();
    if (is_named_) return;
    know(default_value);
    if (!wish.is_met_by(default_value)) experiment_.cases.clear();
  }

  Experiment experiment_;
  // Of the wish in hand.
  std::vector<std::string> known_;  // values of the parameter that it names
  bool is_named_ = false;           // by a case or the problem
  std::vector<std::string> names_;  // that it may have meant
};

}  // namespace

Experiment with_target(Experiment experiment, VariantSpec::Target target) {
  std::erase_if(experiment.cases, [&](const Case& each) {
    return experiment.system.find_variant(each.variant)->target != target;
  });
  return experiment;
}

Selection select_from(const Experiment& experiment, bool for_cpu_device, const std::string& filter) {
  const std::string file = experiment.file.string();
  const bool is_large = is_too_large(experiment, for_cpu_device);
  if (is_large && filter.empty())
    refuse_to_enumerate(experiment, count_configurations(experiment, for_cpu_device));
  if (is_large && filter.find('=') == std::string::npos)
    throw Error(Diagnostic{
        .file = file,
        .cause = fmt::format("{} configurations are too many to match a regular expression with their names",
                             to_string(count_configurations(experiment, for_cpu_device))),
        .hint = "name values instead: '--filter NAME=VALUE,...'"});
  if (is_large) {
    Restriction restriction(experiment);
    for (const Wish& wish : parse_wishes(filter, file)) restriction.apply(wish);
    Enumeration found = enumerate(restriction.experiment(), for_cpu_device);
    if (found.configurations.empty())
      throw Error(Diagnostic{.file = file, .cause = fmt::format("no configuration has {}", filter)});
    return {{}, std::move(found.configurations), found.left_out_on_cpu};
  }
  Enumeration found = enumerate(experiment, for_cpu_device);
  Selection selection{std::move(found.configurations), {}, found.left_out_on_cpu};
  if (!filter.empty()) selection.selected = select_configurations(selection.all, filter, file);
  return selection;
}

const Configuration& select_configuration(const std::vector<Configuration>& configurations,
                                          const std::string& text, const std::string& file) {
  const Candidates left = select(configurations, text, file);
  if (left.size() > 1) refuse_choice(left, text, file);
  return *left.front();
}

std::vector<Configuration> select_configurations(const std::vector<Configuration>& configurations,
                                                 const std::string& text, const std::string& file) {
  std::vector<Configuration> selected;
  for (const Configuration* one : select(configurations, text, file)) selected.push_back(*one);
  return selected;
}

}  // namespace tailwave
