#include "spec/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

namespace tailwave {
namespace {

using Candidates = std::vector<const Configuration*>;

struct Wish {
  std::string name, value;
};

std::vector<Wish> parse_wishes(const std::string& text, const std::string& file) {
  std::vector<Wish> wishes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string piece = text.substr(begin, end - begin);
    const std::size_t equals = piece.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw Error(Diagnostic{.file = file,
                             .cause = fmt::format("'{}' is not NAME=VALUE", piece),
                             .hint = "for example variant=shared,BLOCK_SIZE=128"});
    Wish wish{piece.substr(0, equals), piece.substr(equals + 1)};
    if (std::any_of(wishes.begin(), wishes.end(), [&](const Wish& other) { return other.name == wish.name; }))
      throw Error(Diagnostic{.file = file, .cause = fmt::format("'{}' is given twice", wish.name)});
    wishes.push_back(std::move(wish));
    begin = end + 1;
  }
  return wishes;
}

std::optional<Value> value_of(const Configuration& configuration, std::string_view name) {
  if (name == "variant") return configuration.variant;
  for (const Values* values : {&configuration.parameters, &configuration.problem})
    if (const auto found = values->find(name); found != values->end()) return found->second;
  return std::nullopt;
}

bool means(const std::string& text, const Value& value) {
  if (text == to_string(value)) return true;
  // Expressions and T1 files have Python's words, too.
  const Value wanted = text == "True" ? Value{true} : text == "False" ? Value{false} : parse_value(text);
  return !std::holds_alternative<std::string>(wanted) && !std::holds_alternative<std::string>(value) &&
         to_double(wanted) == to_double(value);
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
    std::string text = to_string(*value);
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
    return value && means(wish.value, *value);
  });
  return left;
}

[[noreturn]] void refuse_name(const Candidates& all, const std::string& name, const std::string& file) {
  const std::vector<std::string> names = names_of(all);
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

// A name stands for itself, whatever a regular expression makes of its dots.
Candidates those_named(const Candidates& all, const std::string& text, const std::string& file) try {
  const std::regex expression(text);
  Candidates left;
  std::copy_if(all.begin(), all.end(), std::back_inserter(left), [&](const Configuration* one) {
    const std::string name = one->name();
    return name == text || std::regex_search(name, expression);
  });
  if (left.empty())
    throw Error(Diagnostic{.file = file,
                           .cause = fmt::format("'{}' matches none of {} configurations", text, all.size()),
                           .hint = fmt::format("their names look like {}", all.front()->name())});
  return left;
} catch (const std::regex_error&) {
  throw Error(Diagnostic{
      .file = file,
      .cause = fmt::format("'{}' is neither NAME=VALUE,NAME=VALUE nor a regular expression", text)});
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
    if (values_of(all, wish.name).empty()) refuse_name(all, wish.name, file);
    Candidates fewer = those_with(left, wish);
    if (fewer.empty()) refuse_value(left, so_far, wish, file);
    left = std::move(fewer);
    so_far += fmt::format("{}{}={}", so_far.empty() ? "" : ",", wish.name, wish.value);
  }
  return left;
}

}  // namespace

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
