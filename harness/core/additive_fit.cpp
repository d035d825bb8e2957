#include "core/additive_fit.h"

#include <algorithm>

namespace tailwave {
namespace {

// A square matrix, row by row.
struct Matrix {
  explicit Matrix(std::size_t rows) : side(rows), values(rows * rows) {}
  double& at(std::size_t row, std::size_t column) { return values[row * side + column]; }

  std::size_t side;
  std::vector<double> values;
};

// Solves a symmetric, positive semidefinite system by elimination without pivoting. It has a solution; where it has
// many, the unknowns that could be anything are 0.
std::vector<double> solve_semidefinite(Matrix matrix, std::vector<double> right) {
  const std::size_t side = matrix.side;
  std::vector<bool> free(side);
  std::vector<double> scale(side);
  for (std::size_t i = 0; i < side; ++i) scale[i] = matrix.at(i, i);
  constexpr double kNothing = 1e-10;  // of a pivot: rounding is all that is left of it
  for (std::size_t i = 0; i < side; ++i) {
    free[i] = matrix.at(i, i) <= kNothing * scale[i];
    if (free[i]) continue;
    for (std::size_t below = i + 1; below < side; ++below) {
      const double factor = matrix.at(below, i) / matrix.at(i, i);
      if (factor == 0) continue;
      for (std::size_t j = i; j < side; ++j) matrix.at(below, j) -= factor * matrix.at(i, j);
      right[below] -= factor * right[i];
    }
  }
  std::vector<double> solution(side);
  for (std::size_t i = side; i-- > 0;) {
    if (free[i]) continue;
    double rest = right[i];
    for (std::size_t j = i + 1; j < side; ++j) rest -= matrix.at(i, j) * solution[j];
    solution[i] = rest / matrix.at(i, i);
  }
  return solution;
}

}  // namespace

double additive_residual(const std::vector<TableCell>& cells) {
  std::size_t rows = 0, columns = 0;
  for (const TableCell& cell : cells) {
    rows = std::max(rows, cell.row + 1);
    columns = std::max(columns, cell.column + 1);
  }
  std::vector<double> row_weight(rows), row_sum(rows);
  std::vector<std::vector<const TableCell*>> by_row(rows);
  for (const TableCell& cell : cells) {
    row_weight[cell.row] += cell.weight;
    row_sum[cell.row] += cell.weight * cell.mean;
    by_row[cell.row].push_back(&cell);
  }
  // The normal equations with the rows' unknowns eliminated.
  Matrix normal(columns);
  std::vector<double> right(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (const TableCell* one : by_row[row]) {
      normal.at(one->column, one->column) += one->weight;
      right[one->column] += one->weight * (one->mean - row_sum[row] / row_weight[row]);
      for (const TableCell* other : by_row[row])
        normal.at(one->column, other->column) -= one->weight * other->weight / row_weight[row];
    }
  }
  const std::vector<double> of_column = solve_semidefinite(normal, right);
  double residual = 0;
  for (const std::vector<const TableCell*>& row : by_row) {
    double weight = 0, rest = 0;
    for (const TableCell* cell : row) {
      weight += cell->weight;
      rest += cell->weight * (cell->mean - of_column[cell->column]);
    }
    for (const TableCell* cell : row) {
      const double off = cell->mean - of_column[cell->column] - rest / weight;
      residual += cell->weight * off * off;
    }
  }
  return residual;
}

}  // namespace tailwave
