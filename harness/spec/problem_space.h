#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/shard.h"
#include "space/search_space.h"
#include "spec/experiment.h"

namespace tailwave {

// The configurations of an experiment on one problem as rows to search in. The parameters of a row are "variant",
// where there are several, and all that a case names. A variant that lacks one has its first value there; where a
// case does not name one, its default stands.
class ProblemSpace {
 public:
  // `variants` that the cases are of, in the order of the row's first parameter. Kept by reference.
  ProblemSpace(const System& system, std::vector<const VariantSpec*> variants, Values problem,
               SearchSpace points);

  [[nodiscard]] const Values& problem() const { return problem_; }
  [[nodiscard]] const SearchSpace& points() const { return points_; }
  [[nodiscard]] VariantSpec::Target target() const { return variants_.front()->target; }
  [[nodiscard]] const VariantSpec& variant(std::span<const std::uint16_t> row) const;
  [[nodiscard]] Configuration configuration(std::span<const std::uint16_t> row) const;
  [[nodiscard]] Configuration configuration(Point point) const {
    return configuration(points_.digits(point));
  }
  // Which of these it is, if any.
  [[nodiscard]] std::optional<Point> find(const Configuration& wanted) const;
  // The one with these values: of the variant where there are several, else of whichever it is. What a variant lacks,
  // or is not given, has its first value.
  [[nodiscard]] std::optional<Point> find(const std::string& variant, const Values& parameters) const;
  // Without a number for it.
  [[nodiscard]] bool has(const Configuration& wanted) const;

 private:
  // As find() of these.
  [[nodiscard]] std::optional<std::vector<std::uint16_t>> row_of(const std::string& variant,
                                                                 const Values& parameters) const;
  // The row of what may be one of these.
  [[nodiscard]] std::optional<std::vector<std::uint16_t>> row_of(const Configuration& wanted) const;
  // Of the parameters that variants have.
  [[nodiscard]] std::size_t first_column() const { return variants_.size() > 1 ? 1 : 0; }

  const System* system_;
  std::vector<const VariantSpec*> variants_;
  Values problem_;
  SearchSpace points_;
};

struct ProblemSpaces {
  std::vector<ProblemSpace> spaces;  // by problem, in the order of enumerate()
  std::size_t left_out_on_cpu = 0;   // ruled out by cpu_constraints

  [[nodiscard]] Count count() const;
};

// Those of variants with this target: times of kernels and of the host are not compared. Listed where there are at
// most so many, in all problems together, and they are found soon enough (SearchSpace::kMostTried); what
// cpu_constraints rule out is then counted. Makes a Configuration of each only where the CPU device has constraints.
// Of a shard its own configurations alone, and no problem of which it has none; how many others are, where they are not
// listed, is an estimate. Keeps the experiment by reference. Throws as enumerate() does, and Error for a parameter with more values than
// SearchSpace can hold.
ProblemSpaces problem_spaces(const Experiment& experiment, VariantSpec::Target target, bool for_cpu_device,
                             std::size_t most_listed = SearchSpace::kMostListed, const Shard& shard = {});

// How many configurations enumerate() would find, without doing so where they are many. Throws as it does.
Count count_configurations(const Experiment& experiment, bool for_cpu_device);

}  // namespace tailwave
