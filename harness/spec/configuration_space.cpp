#include "spec/configuration_space.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "spec/configuration_walk.h"

namespace tailwave {
namespace {

// Values with the same text are one, as in names of configurations.
std::optional<std::uint32_t> digit_of(const Parameter& parameter, const Value& value) {
  for (std::size_t i = 0; i < parameter.values.size(); ++i)
    if (to_string(parameter.values[i]) == to_string(value)) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

void add_value(Parameter& parameter, const Value& value) {
  if (!digit_of(parameter, value)) parameter.values.push_back(value);
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

const Value* find_value(const VariantSpec& variant, const std::string& parameter) {
  for (const auto& [name, value] : variant.parameters)
    if (name == parameter) return &value;
  return nullptr;
}

// How what a case walks through becomes a row.
struct RowMaker {
  std::vector<std::uint32_t> row;                  // with what the case does not name
  std::vector<std::size_t> columns;                // by parameter of the case
  std::vector<std::vector<std::uint32_t>> digits;  // likewise, by value

  std::span<const std::uint32_t> make(const std::vector<std::uint32_t>& indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) row[columns[i]] = digits[i][indices[i]];
    return row;
  }
};

// The shape of the spaces of an experiment, which have it in common.
class Shape {
 public:
  Shape(const Experiment& experiment, VariantSpec::Target target) {
    for (const Case& each : experiment.cases) {
      const VariantSpec* variant = experiment.system.find_variant(each.variant);
      if (variant->target != target) continue;
      cases_.emplace_back(&each, variant);
      if (std::find(variants_.begin(), variants_.end(), variant) == variants_.end())
        variants_.push_back(variant);
    }
    if (variants_.size() > 1) {
      columns_.push_back({"variant", {}});
      for (const VariantSpec* variant : variants_) columns_.front().values.emplace_back(variant->name);
    }
    add_columns();
    for (const auto& [each, variant] : cases_) makers_.emplace(each, maker_of(*each, *variant));
  }

  [[nodiscard]] bool empty() const { return cases_.empty(); }
  [[nodiscard]] ConfigurationSpace space(const System& system, const Values& problem) const {
    return {system, variants_, problem, SearchSpace(columns_)};
  }
  RowMaker& maker(const Case& each) { return makers_.at(&each); }

 private:
  [[nodiscard]] std::size_t first_column() const { return variants_.size() > 1 ? 1 : 0; }

  std::size_t column_of(const std::string& name) const {
    for (std::size_t i = first_column(); i < columns_.size(); ++i)
      if (columns_[i].name == name) return i;
    return columns_.size();
  }

  void add_columns() {
    for (const auto& [each, variant] : cases_) {
      for (const Parameter& parameter : each->parameters) {
        const std::size_t column = column_of(parameter.name);
        if (column == columns_.size()) columns_.push_back({parameter.name, {}});
        for (const Value& value : parameter.values) add_value(columns_[column], value);
      }
    }
    for (const auto& [each, variant] : cases_) {
      for (const auto& [name, value] : variant->parameters) {
        const std::size_t column = column_of(name);
        if (column < columns_.size() && find_parameter(each->parameters, name) == nullptr)
          add_value(columns_[column], value);
      }
    }
  }

  [[nodiscard]] RowMaker maker_of(const Case& each, const VariantSpec& variant) const {
    RowMaker maker;
    maker.row.resize(columns_.size());
    if (variants_.size() > 1) maker.row.front() = *digit_of(columns_.front(), Value{variant.name});
    for (std::size_t i = first_column(); i < columns_.size(); ++i) {
      const Value* value = find_value(variant, columns_[i].name);
      if (value != nullptr) maker.row[i] = digit_of(columns_[i], *value).value_or(0);
    }
    for (const Parameter& parameter : each.parameters) {
      maker.columns.push_back(column_of(parameter.name));
      std::vector<std::uint32_t>& digits = maker.digits.emplace_back();
      for (const Value& value : parameter.values)
        digits.push_back(*digit_of(columns_[maker.columns.back()], value));
    }
    return maker;
  }

  std::vector<std::pair<const Case*, const VariantSpec*>> cases_;
  std::vector<const VariantSpec*> variants_;
  std::vector<Parameter> columns_;
  std::map<const Case*, RowMaker> makers_;
};

}  // namespace

ConfigurationSpace::ConfigurationSpace(const System& system, std::vector<const VariantSpec*> variants,
                                       Values problem, SearchSpace points)
    : system_(&system),
      variants_(std::move(variants)),
      problem_(std::move(problem)),
      points_(std::move(points)) {}

const VariantSpec& ConfigurationSpace::variant(Point point) const {
  return *variants_[variants_.size() > 1 ? points_.digits(point).front() : 0];
}

Configuration ConfigurationSpace::configuration(Point point) const {
  const VariantSpec& own = variant(point);
  const auto row = points_.digits(point);
  Configuration configuration{system_->name, own.name, Values(own.parameters.begin(), own.parameters.end()),
                              problem_};
  for (std::size_t i = first_column(); i < row.size(); ++i) {
    const Parameter& parameter = points_.parameters()[i];
    const auto found = configuration.parameters.find(parameter.name);
    if (found != configuration.parameters.end()) found->second = parameter.values[row[i]];
  }
  return configuration;
}

std::optional<Point> ConfigurationSpace::find(const Configuration& wanted) const {
  std::vector<std::uint16_t> row(points_.parameters().size(), 0);
  if (variants_.size() > 1) {
    const auto digit = digit_of(points_.parameters().front(), Value{wanted.variant});
    if (!digit) return std::nullopt;
    row.front() = static_cast<std::uint16_t>(*digit);
  }
  for (std::size_t i = first_column(); i < row.size(); ++i) {
    const auto value = wanted.parameters.find(points_.parameters()[i].name);
    if (value == wanted.parameters.end()) continue;
    const auto digit = digit_of(points_.parameters()[i], value->second);
    if (!digit) return std::nullopt;
    row[i] = static_cast<std::uint16_t>(*digit);
  }
  const std::optional<Point> point = points_.find(row);
  // What is no parameter of the rows has to be the same too.
  if (point && configuration(*point).name() == wanted.name()) return point;
  return std::nullopt;
}

ConfigurationSpaces configuration_spaces(const Experiment& experiment, VariantSpec::Target target,
                                         bool for_cpu_device) {
  ConfigurationSpaces result;
  try {
    Shape shape(experiment, target);
    const bool asks_cpu = for_cpu_device && !experiment.cpu_constraints.empty();
    ConfigurationWalk walk(experiment, for_cpu_device, [&](const ConfigurationWalk::Place& place) {
      if (asks_cpu && !allowed_on_cpu(experiment, place.configuration(experiment.system.name))) {
        ++result.left_out_on_cpu;
        return true;
      }
      if (result.spaces.empty() || result.spaces.back().problem() != place.problem)
        result.spaces.push_back(shape.space(experiment.system, place.problem));
      if (result.spaces.back().points().size() == SearchSpace::kMostPoints)
        throw std::invalid_argument("more valid configurations than a search can hold");
      result.spaces.back().add(shape.maker(place.each).make(place.indices));
      return true;
    });
    walk.keep(target);
    walk.run();
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  } catch (const std::invalid_argument& error) {
    throw Error(Diagnostic{.file = experiment.file.string(), .cause = error.what()});
  }
  return result;
}

}  // namespace tailwave
