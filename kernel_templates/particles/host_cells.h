#pragma once

// Particles sorted by cells whose side is the cutoff or more, so that a particle meets only those of nine cells.

#include <vector>

#include "particles.h"

namespace {

struct Cells {
  int across;
  double per_length;
  std::vector<int> starts;     // of each cell in `particles`; one more than cells
  std::vector<int> particles;  // sorted by cell, then by index

  int line_of(double x) const {
    const int line = static_cast<int>(x * per_length);
    return line < 0 ? 0 : line < across ? line : across - 1;
  }
  int cell_of(const Vector& position) const { return line_of(position.y) * across + line_of(position.x); }
};

Cells sorted_by_cell(const Vector* positions, int n) {
  const double side = side_of(n);
  const int across = side > kCutoff ? static_cast<int>(side / kCutoff) : 1;
  Cells cells{across, across / side, std::vector<int>(across * across + 1), std::vector<int>(n)};
  for (int i = 0; i < n; ++i) ++cells.starts[cells.cell_of(positions[i])];
  for (int cell = 1; cell <= across * across; ++cell) cells.starts[cell] += cells.starts[cell - 1];
  for (int i = n - 1; i >= 0; --i) cells.particles[--cells.starts[cells.cell_of(positions[i])]] = i;
  return cells;
}

// Calls meet() with each particle of the nine cells around particle i, itself too.
template <class Meet>
void for_each_near(const Cells& cells, const Vector* positions, int i, Meet meet) {
  const int column = cells.line_of(positions[i].x);
  const int row = cells.line_of(positions[i].y);
  const int first_column = column > 0 ? column - 1 : 0;
  const int last_column = column + 1 < cells.across ? column + 1 : column;
  for (int other_row = row > 0 ? row - 1 : 0; other_row <= row + 1 && other_row < cells.across; ++other_row) {
    const int begin = cells.starts[other_row * cells.across + first_column];
    const int end = cells.starts[other_row * cells.across + last_column + 1];
    for (int k = begin; k < end; ++k) meet(cells.particles[k]);
  }
}

}  // namespace
