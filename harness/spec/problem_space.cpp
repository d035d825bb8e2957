#include "spec/problem_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "space/assignment.h"
#include "space/joined_spaces.h"
#include "spec/configuration_walk.h"
#include "spec/shard_rows.h"

namespace tailwave {
namespace {

// Values with the same text are one, as in names of configurations.
std::optional<std::uint32_t> digit_of(const Parameter& parameter, const Value& value) {
  for (std::size_t i = 0; i < parameter.values.size(); ++i)
    if (to_string(parameter.values[i]) == to_string(value)) return static_cast<std::uint32_t>(i);
  return std::nullopt;
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
      digits_.emplace_back();
      for (const VariantSpec* variant : variants_) add_value(0, Value{variant->name});
    }
    add_columns();
  }

  [[nodiscard]] const std::vector<Parameter>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<const VariantSpec*>& variants() const { return variants_; }
  // How what a case has becomes rows.
  [[nodiscard]] SpacePart rows_of(const CasePart& own) const {
    SpacePart part{own.space, std::vector<std::uint16_t>(columns_.size()), {}, {}};
    if (variants_.size() > 1) part.row.front() = digit(0, Value{own.variant.name});
    for (std::size_t i = first_column(); i < columns_.size(); ++i) {
      const Value* value = find_value(own.variant, columns_[i].name);
      if (value != nullptr && digits_[i].contains(to_string(*value))) part.row[i] = digit(i, *value);
    }
    for (const Parameter& parameter : own.each.parameters) {
      part.columns.push_back(column_of(parameter.name));
      std::vector<std::uint16_t>& digits = part.digits.emplace_back();
      for (const Value& value : parameter.values) digits.push_back(digit(part.columns.back(), value));
    }
    return part;
  }

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
        if (column == columns_.size()) {
          columns_.push_back({parameter.name, {}});
          digits_.emplace_back();
        }
        for (const Value& value : parameter.values) add_value(column, value);
      }
    }
    for (const auto& [each, variant] : cases_) {
      for (const auto& [name, value] : variant->parameters) {
        const std::size_t column = column_of(name);
        if (column < columns_.size() && find_parameter(each->parameters, name) == nullptr)
          add_value(column, value);
      }
    }
  }

  void add_value(std::size_t column, const Value& value) {
    const auto digit = static_cast<std::uint16_t>(columns_[column].values.size());
    if (digits_[column].emplace(to_string(value), digit).second) columns_[column].values.push_back(value);
  }
  [[nodiscard]] std::uint16_t digit(std::size_t column, const Value& value) const {
    return digits_[column].at(to_string(value));
  }

  std::vector<std::pair<const Case*, const VariantSpec*>> cases_;
  std::vector<const VariantSpec*> variants_;
  std::vector<Parameter> columns_;
  std::vector<std::map<std::string, std::uint16_t>> digits_;  // by column and text: the value's number
};

// The rows of an experiment's parts, with errors that name the experiment.
class ExperimentRows final : public PointSource {
  template <class Use>
  auto naming(const Use& use) const {
    try {
      return use();
    } catch (const ExpressionError& error) {
      throw_error(experiment_, failure_of(experiment_, error));
    }
  }

 public:
  ExperimentRows(const Experiment& experiment, std::vector<SpacePart> parts)
      : experiment_(experiment), rows_(std::move(parts)) {}

  [[nodiscard]] Count count() const override {
    if (!count_) count_ = naming([&] { return rows_.count(); });
    return *count_;
  }
  bool has(std::span<const std::uint16_t> row) override {
    return naming([&] { return rows_.has(row); });
  }
  bool draw(Generator& random, Row& row) override {
    return naming([&] { return rows_.draw(random, row); });
  }
  std::function<bool(Row&)> in_order() override {
    return [this, next = rows_.in_order()](Row& row) { return naming([&] { return next(row); }); };
  }

 private:
  const Experiment& experiment_;
  JoinedSpaces rows_;
  mutable std::optional<Count> count_;
};

// Makes the spaces of an experiment, one after another.
class SpaceMaker {
 public:
  SpaceMaker(const Experiment& experiment, VariantSpec::Target target, bool for_cpu_device,
             std::size_t most_listed, const Shard& shard)
      : experiment_(experiment),
        shard_(shard),
        shape_(experiment, target),
        parts_(experiment, for_cpu_device),
        with_cpu_(experiment, for_cpu_device),
        asks_cpu_(for_cpu_device && !experiment.cpu_constraints.empty()),
        most_listed_(
            static_cast<std::size_t>(static_cast<double>(most_listed) / std::max(1.0, parts_.problems()))) {
    parts_.keep(target);
    with_cpu_.keep(target);
    if (for_cpu_device) with_cpu_.add_cpu_constraints();
  }

  ProblemSpaces make() {
    std::vector<CasePart> of_problem;
    const auto finish = [&] {
      if (!of_problem.empty()) add_space(of_problem);
      of_problem.clear();
    };
    parts_.for_each([&](CasePart& part) {
      if (!of_problem.empty() && of_problem.back().problem != part.problem) finish();
      of_problem.push_back(std::move(part));
      return true;
    });
    finish();
    return std::move(result_);
  }

 private:
  void add_space(std::vector<CasePart>& parts) {
    const Values& problem = parts.front().problem;
    std::optional<SearchSpace> points = listed(parts);
    if (!points) points = drawn(problem);
    if (points->is_listed() ? points->size() == 0 : points->count().number == 0 && points->count().is_exact)
      return;
    result_.spaces.emplace_back(experiment_.system, shape_.variants(), problem, std::move(*points));
  }

  // None where they are too many, or too hard to find.
  std::optional<SearchSpace> listed(std::vector<CasePart>& parts) {
    SearchSpace points(shape_.columns());
    std::size_t left_out = 0, asked = 0, found = 0;
    const auto has_too_many = [&](const CasePart& part) {
      return has_more_than(part.space, static_cast<double>(most_listed_));
    };
    if (!asks_cpu_ && std::any_of(parts.begin(), parts.end(), has_too_many)) return std::nullopt;
    const bool is_all = std::all_of(parts.begin(), parts.end(), [&](CasePart& part) {
      SpacePart rows = shape_.rows_of(part);
      return part.space.for_each(
          [&](const std::vector<std::uint32_t>& indices) {
            if (asks_cpu_ && !allowed_on_cpu(experiment_, configuration_of(part, indices))) {
              ++left_out;
              return true;
            }
            if (found == most_listed_) return false;
            ++found;
            if (shard_.is_whole() || shard_.has(configuration_of(part, indices).name()))
              points.add(rows.row_of(indices));
            return true;
          },
          [&] { return ++asked > SearchSpace::kMostTried / Assignment::kGivenBetween; });
    });
    if (!is_all) return std::nullopt;
    result_.left_out_on_cpu += left_out;
    return points;
  }

  SearchSpace drawn(const Values& problem) {
    std::vector<SpacePart> rows;
    with_cpu_.for_each([&](CasePart& part) {
      if (part.problem == problem) rows.push_back(shape_.rows_of(part));
      return true;
    });
    std::shared_ptr<PointSource> source = std::make_shared<ExperimentRows>(experiment_, std::move(rows));
    if (!shard_.is_whole())
      source = rows_of_shard(
          std::move(source),
          ProblemSpace(experiment_.system, shape_.variants(), problem, SearchSpace(shape_.columns())),
          shard_);
    return {shape_.columns(), std::move(source)};
  }

  [[nodiscard]] Configuration configuration_of(const CasePart& part,
                                               const std::vector<std::uint32_t>& indices) const {
    return ConfigurationWalk::Place{part.each, part.defaults, part.problem, indices}.configuration(
        experiment_.system.name);
  }

  const Experiment& experiment_;
  Shard shard_;
  Shape shape_;
  CaseParts parts_, with_cpu_;  // with cpu_constraints as constraints of the parts
  bool asks_cpu_;
  std::size_t most_listed_;  // of one problem
  ProblemSpaces result_;
};

bool has_variants_of_several_cases(const Experiment& experiment) {
  std::set<std::string> seen;
  return std::any_of(experiment.cases.begin(), experiment.cases.end(),
                     [&](const Case& each) { return !seen.insert(each.variant).second; });
}

// What the count of a part follows from.
std::string counted_by(const CasePart& part) {
  std::string key = fmt::format("{}", static_cast<const void*>(&part.each));
  for (const Expression& constraint : part.space.constraints())
    for (const std::string& name : constraint.names())
      if (const auto value = part.problem.find(name); value != part.problem.end())
        key += fmt::format(" {}={}", name, to_string(value->second));
  return key;
}

// Of cases that may have configurations in common.
Count count_together(const Experiment& experiment, bool for_cpu_device) {
  Count sum;
  for (const VariantSpec::Target target : kTargetsByRank)
    sum = sum + problem_spaces(experiment, target, for_cpu_device).count();
  return sum;
}

}  // namespace

ProblemSpace::ProblemSpace(const System& system, std::vector<const VariantSpec*> variants, Values problem,
                           SearchSpace points)
    : system_(&system),
      variants_(std::move(variants)),
      problem_(std::move(problem)),
      points_(std::move(points)) {}

const VariantSpec& ProblemSpace::variant(std::span<const std::uint16_t> row) const {
  return *variants_[variants_.size() > 1 ? row.front() : 0];
}

Configuration ProblemSpace::configuration(std::span<const std::uint16_t> row) const {
  const VariantSpec& own = variant(row);
  Configuration configuration{system_->name, own.name, Values(own.parameters.begin(), own.parameters.end()),
                              problem_};
  for (std::size_t i = first_column(); i < row.size(); ++i) {
    const Parameter& parameter = points_.parameters()[i];
    const auto found = configuration.parameters.find(parameter.name);
    if (found != configuration.parameters.end()) found->second = parameter.values[row[i]];
  }
  return configuration;
}

std::optional<Point> ProblemSpace::find(const Configuration& wanted) const {
  const auto row = row_of(wanted);
  return row ? points_.find(*row) : std::nullopt;
}

bool ProblemSpace::has(const Configuration& wanted) const {
  const auto row = row_of(wanted);
  return row && points_.has(*row);
}

std::optional<Point> ProblemSpace::find(const std::string& variant, const Values& parameters) const {
  const auto row = row_of(variant, parameters);
  return row ? points_.find(*row) : std::nullopt;
}

std::optional<std::vector<std::uint16_t>> ProblemSpace::row_of(const std::string& variant,
                                                               const Values& parameters) const {
  std::vector<std::uint16_t> row(points_.parameters().size(), 0);
  if (variants_.size() > 1) {
    const auto digit = digit_of(points_.parameters().front(), Value{variant});
    if (!digit) return std::nullopt;
    row.front() = static_cast<std::uint16_t>(*digit);
  }
  for (std::size_t i = first_column(); i < row.size(); ++i) {
    const auto value = parameters.find(points_.parameters()[i].name);
    if (value == parameters.end()) continue;
    const auto digit = digit_of(points_.parameters()[i], value->second);
    if (!digit) return std::nullopt;
    row[i] = static_cast<std::uint16_t>(*digit);
  }
  return row;
}

std::optional<std::vector<std::uint16_t>> ProblemSpace::row_of(const Configuration& wanted) const {
  auto row = row_of(wanted.variant, wanted.parameters);
  // What is no parameter of the rows has to be the same too.
  if (row && configuration(*row).name() != wanted.name()) row.reset();
  return row;
}

Count ProblemSpaces::count() const {
  Count sum;
  for (const ProblemSpace& space : spaces) sum = sum + space.points().count();
  return sum;
}

ProblemSpaces problem_spaces(const Experiment& experiment, VariantSpec::Target target, bool for_cpu_device,
                             std::size_t most_listed, const Shard& shard) {
  try {
    return SpaceMaker(experiment, target, for_cpu_device, most_listed, shard).make();
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  } catch (const ExpressionError& error) {
    throw_error(experiment, failure_of(experiment, error));
  } catch (const std::invalid_argument& error) {
    throw Error(Diagnostic{.file = experiment.file.string(), .cause = error.what()});
  }
}

Count count_configurations(const Experiment& experiment, bool for_cpu_device) {
  if (has_variants_of_several_cases(experiment)) return count_together(experiment, for_cpu_device);
  CaseParts parts(experiment, for_cpu_device);
  if (for_cpu_device) parts.add_cpu_constraints();
  Count sum;
  std::map<std::string, Count> known;
  try {
    parts.for_each([&](CasePart& part) {
      const auto [count, is_new] = known.try_emplace(counted_by(part));
      if (is_new) count->second = LargeSpace(std::move(part.space)).count();
      sum = sum + count->second;
      return true;
    });
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
  return sum;
}

}  // namespace tailwave
