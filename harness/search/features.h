#pragma once

#include <span>
#include <vector>

#include "search/strategy.h"
#include "search/trees.h"

namespace tailwave::search {

// What a model is told of a point: each parameter with more than one value, what follows from names that say that a
// parameter is an extent of a block (threads, and how full their last warp is), and Knowledge and
// PriorCosts where there are some.
class Features {
 public:
  // `trust`: none, or as long as the features.
  explicit Features(const SearchProblem& problem, const PriorTrust* trust = nullptr);

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  void fill(Point point, float* row) const;  // columns().size() values

 private:
  const SearchSpace* space_;
  const Knowledge* knowledge_;
  const PriorTrust* prior_;
  std::vector<Column> columns_;
  std::vector<std::size_t> parameters_;
  std::vector<std::vector<float>> by_digit_;  // of each of parameters_
  std::vector<std::size_t> block_;            // places in parameters_
  std::size_t known_ = 0;
  bool predicted_ = false;
};

}  // namespace tailwave::search
