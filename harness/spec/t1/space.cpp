#include "spec/t1/space.h"

#include <algorithm>
#include <set>

#include "space/assignment.h"
#include "space/joined_spaces.h"
#include "spec/enumerate.h"
#include "spec/names.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

// Python's equality: 1, 1.0 and True are the same.
bool same_value(const Value& one, const Value& other) {
  const bool text = std::holds_alternative<std::string>(one) || std::holds_alternative<std::string>(other);
  return text ? one == other : to_double(one) == to_double(other);
}

class SpaceReader {
 public:
  SpaceReader(T1File& file, Experiment& experiment)
      : file_(file), experiment_(experiment), space_(file.root.find("ConfigurationSpace")) {}

  void run() {
    const Json parameters = space_.find("TuningParameters");
    if (parameters.items().empty()) {
      return file_.errors.report(parameters ? parameters.pointer() : space_.pointer(),
                                 parameters ? "no tuning parameter" : "missing key 'TuningParameters'");
    }
    for (const Json& place : parameters.items()) read_parameter(place);
    for (const Json& place : space_.find("Conditions").items()) read_condition(place);
    choose_defaults();
  }

 private:
  void read_parameter(const Json& place) {
    const std::string* name = required_text(place, "Name", file_.errors);
    if (name == nullptr) return;
    const std::string why = why_not_a_parameter_name(*name);
    if (!why.empty()) file_.errors.report(place.find("Name").pointer(), "the name '" + *name + "' " + why);
    if (file_.find(*name) != nullptr)
      return file_.errors.report(place.find("Name").pointer(),
                                 "the parameter '" + *name + "' is there twice");
    const std::vector<Value> values = read_values(place);
    check_texts(values, place.find("Values").pointer());
    file_.parameters.push_back({*name, distinct(values, place.find("Values").pointer())});
    file_.lists.emplace(*name, values);
    defaults_.push_back(place.find("Default"));
  }

  std::vector<Value> read_values(const Json& parameter) {
    const Json place = parameter.find("Values");
    std::vector<Value> values;
    const std::size_t before = file_.errors.diagnostics().size();
    if (const std::string* text = place.as_text()) {
      try {
        values = Expression::parse_list(*text).evaluate_list();
      } catch (const ExpressionError& error) {
        file_.errors.report(place.pointer(), error);
      }
    } else if (!place || !place.is_array()) {
      file_.errors.report(
          place ? place.pointer() : parameter.pointer(),
          place ? "expected a list, found " + with_article(place.type()) : "missing key 'Values'");
    }
    for (const Json& item : place.items()) {
      if (const auto value = item.as_value()) {
        values.push_back(*value);
      } else {
        file_.errors.report(item.pointer(), "expected a single value, found " + with_article(item.type()));
      }
    }
    if (values.empty() && file_.errors.diagnostics().size() == before)
      file_.errors.report(place.pointer(), "the list has no values");
    return values;
  }

  // They become macros.
  void check_texts(const std::vector<Value>& values, const std::string& pointer) {
    for (const Value& value : values) {
      const auto* text = std::get_if<std::string>(&value);
      if (text != nullptr && !is_one_line(*text))
        return file_.errors.report(pointer, "a text has a line break or another control character");
    }
  }

  std::vector<Value> distinct(const std::vector<Value>& values, const std::string& pointer) {
    std::vector<Value> kept;
    for (const Value& value : values) {
      const bool again =
          std::any_of(kept.begin(), kept.end(), [&](const Value& other) { return same_value(value, other); });
      if (again) {
        file_.warnings.report(pointer, "the value " + to_string(value) + " is given twice; it counts once");
      } else {
        kept.push_back(value);
      }
    }
    return kept;
  }

  // A condition is an object with Expression and perhaps Parameters, or the expression alone.
  void read_condition(const Json& place) {
    const bool object = place.is_object();
    const Json expression = object ? place.find("Expression") : place;
    if (!expression) return file_.errors.report(place.pointer(), "missing key 'Expression'");
    const std::size_t before = file_.errors.diagnostics().size();
    const auto condition = read_t1_expression(expression, file_);
    if (!condition) {
      if (file_.errors.diagnostics().size() == before)
        file_.errors.report(expression.pointer(), "expected an expression, found nothing");
      return;
    }
    experiment_.constraints.push_back(*condition);
    if (object && place.find("Parameters")) check_parameter_list(*condition, place.find("Parameters"));
  }

  // The list is derived from the expression, and only compared.
  void check_parameter_list(const Expression& condition, const Json& list) {
    std::set<std::string> listed;
    for (const Json& item : list.items())
      if (item.as_text() != nullptr) listed.insert(*item.as_text());
    std::string missing, idle;
    const auto add = [](std::string& names, const std::string& name) {
      names += (names.empty() ? "'" : ", '") + name + "'";
    };
    for (const std::string& name : condition.names())
      if (file_.find(name) != nullptr && listed.erase(name) == 0) add(missing, name);
    for (const std::string& name : listed) add(idle, name);
    if (!missing.empty()) file_.warnings.report(list.pointer(), "the list lacks " + missing);
    if (!idle.empty()) file_.warnings.report(list.pointer(), "the expression does not use " + idle);
  }

  // The Default of a parameter as one of its values; reported where it is none.
  std::optional<Value> default_of(std::size_t index) {
    const Parameter& parameter = file_.parameters[index];
    const Json& place = defaults_[index];
    if (!place) return parameter.values.front();
    std::optional<Value> wanted = place.as_value();
    const auto among = [&](const Value& value) {
      return std::find_if(parameter.values.begin(), parameter.values.end(),
                          [&](const Value& each) { return same_value(each, value); });
    };
    auto found = wanted ? among(*wanted) : parameter.values.end();
    if (found == parameter.values.end() && place.as_text() != nullptr)
      found = among(parse_value(*place.as_text()));
    if (found != parameter.values.end()) return *found;
    const std::string shown = wanted && place.as_text() == nullptr ? to_string(*wanted) : place.dump();
    file_.warnings.report(place.pointer(), "the Default " + shown + (place.as_text() ? ", a text," : "") +
                                               " of '" + parameter.name + "' is not among its Values");
    return std::nullopt;
  }

  void choose_defaults() {
    if (!file_.errors.clean()) return;
    bool good = true;
    for (std::size_t i = 0; i < file_.parameters.size(); ++i) {
      const auto value = default_of(i);
      good = good && value;
      file_.defaults[file_.parameters[i].name] = value.value_or(file_.parameters[i].values.front());
    }
    try {
      if (good && (good = satisfies_all())) return;
      use_first_valid();
    } catch (const ExpressionError&) {
      // The check of the enumeration reports it.
    }
  }

  bool satisfies_all() {
    const Values scope = file_.default_scope();
    for (std::size_t i = 0; i < experiment_.constraints.size(); ++i) {
      const Expression& condition = experiment_.constraints[i];
      if (condition.evaluate_bool(scope)) continue;
      file_.warnings.report(Diagnostic{
          "", pointer_to(space_.find("Conditions").pointer(), i),
          "the Default configuration does not satisfy the condition" + values_of_names(condition, scope),
          condition.text(), -1, "the first valid configuration is the reference instead"});
      return false;
    }
    return true;
  }

  void use_first_valid() {
    Values fixed = file_.default_scope();
    for (const Parameter& parameter : file_.parameters) fixed.erase(parameter.name);
    const auto use = [&](const auto& digits) {
      for (std::size_t i = 0; i < digits.size(); ++i)
        file_.defaults[file_.parameters[i].name] = file_.parameters[i].values[digits[i]];
      return false;
    };
    std::size_t asked = 0;
    const ParameterSpace space(file_.parameters, experiment_.constraints, fixed);
    const auto is_enough = [&] { return ++asked > kMostTriedPoints / Assignment::kGivenBetween; };
    (void)space.for_each(use, is_enough);
    if (asked <= kMostTriedPoints / Assignment::kGivenBetween) return;
    std::vector<SpacePart> parts;  // one that is hard to find
    parts.push_back(SpacePart::of(space));
    Generator random(0);
    if (PointSource::Row row; JoinedSpaces(std::move(parts)).draw(random, row)) use(row);
  }

  T1File& file_;
  Experiment& experiment_;
  Json space_;
  std::vector<Json> defaults_;  // by parameter
};

}  // namespace

void read_t1_space(T1File& file, Experiment& experiment) {
  SpaceReader(file, experiment).run();
}

}  // namespace tailwave
