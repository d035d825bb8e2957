#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "space/search_space.h"
#include "spec/experiment.h"

namespace tailwave {

// The configurations of an experiment on one problem as rows to search in. The parameters of a row are "variant", where
// there are several, and all that a case names. A variant that lacks one has its first value there; where a case does not
// name one, its default stands.
class ConfigurationSpace {
 public:
  // `variants` that the cases are of, in the order of the row's first parameter. Kept by reference.
  ConfigurationSpace(const System& system, std::vector<const VariantSpec*> variants, Values problem,
                     SearchSpace points);

  [[nodiscard]] const Values& problem() const { return problem_; }
  [[nodiscard]] const SearchSpace& points() const { return points_; }
  [[nodiscard]] const VariantSpec& variant(Point point) const;
  [[nodiscard]] Configuration configuration(Point point) const;
  // Which of these it is, if any.
  [[nodiscard]] std::optional<Point> find(const Configuration& wanted) const;

  Point add(std::span<const std::uint32_t> digits) { return points_.add(digits); }

 private:
  // Of the parameters that variants have.
  [[nodiscard]] std::size_t first_column() const { return variants_.size() > 1 ? 1 : 0; }

  const System* system_;
  std::vector<const VariantSpec*> variants_;
  Values problem_;
  SearchSpace points_;
};

struct ConfigurationSpaces {
  std::vector<ConfigurationSpace> spaces;  // by problem, in the order of enumerate()
  std::size_t left_out_on_cpu = 0;         // ruled out by cpu_constraints
};

// Those of variants with this target: times of kernels and of the host are not compared. Makes a Configuration of each
// only where the CPU device has constraints. Keeps the experiment's system by reference. Throws as enumerate() does, and Error
// for a space that SearchSpace cannot hold.
ConfigurationSpaces configuration_spaces(const Experiment& experiment, VariantSpec::Target target,
                                         bool for_cpu_device);

}  // namespace tailwave
