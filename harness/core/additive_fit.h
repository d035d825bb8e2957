#pragma once

#include <cstddef>
#include <vector>

namespace tailwave {

// One cell of a table with two headings: the mean of `weight` observations with this row and this column.
struct TableCell {
  std::size_t row = 0, column = 0;  // counted from 0
  double weight = 0;                // above 0
  double mean = 0;
};

// The weighted sum of squares that remains of the cells when the best sum of a function of the row and a function of
// the column is taken from them (weighted least squares); cells that a table lacks do not count. 0: the two act
// independently of each other. Divided by the total sum of squares it is the interaction in the functional ANOVA of
// Hutter, Hoos & Leyton-Brown, "An efficient approach for assessing hyperparameter importance" (ICML 2014), where no
// cell is missing and all weigh the same; unlike the difference of marginal means that they use, it stays 0 for a sum
// when cells are missing.
double additive_residual(const std::vector<TableCell>& cells);

}  // namespace tailwave
