// Matrices with PER_ROW x ROWS non-zeros, in three structures. Columns of a row ascend (but for the ends of the banded one, which
// wrap around). Everything is a function of a row's number, so that both fills agree and every core may have a share.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

enum Structure { banded, random_rows, power_law };

// 64 random bits for each number.
uint64_t mixed(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

double fraction(uint64_t number) {
  return static_cast<double>(mixed(number) >> 11) * 0x1p-53;
}

std::vector<int64_t> lengths_of_rows(int64_t rows, int64_t per_row, int structure) {
  std::vector<int64_t> lengths(static_cast<size_t>(rows), per_row);
  if (structure == random_rows) {
    // Two rows have 2 x per_row together, from nothing to all of it each.
    for (int64_t row = 0; row + 1 < rows; row += 2) {
      const int64_t first =
          static_cast<int64_t>(mixed(static_cast<uint64_t>(row)) % static_cast<uint64_t>(2 * per_row + 1));
      lengths[static_cast<size_t>(row)] = first;
      lengths[static_cast<size_t>(row + 1)] = 2 * per_row - first;
    }
  } else if (structure == power_law) {
    // The k-th longest row has a share of (k + 1)^-0.8, differences of its integral; which row that is a random permutation says.
    std::vector<int64_t> rank(static_cast<size_t>(rows));
    std::iota(rank.begin(), rank.end(), int64_t{0});
    std::mt19937_64 random(7);
    for (int64_t i = rows - 1; i > 0; --i)
      std::swap(rank[static_cast<size_t>(i)],
                rank[static_cast<size_t>(random() % static_cast<uint64_t>(i + 1))]);
    const auto up_to = [](int64_t k) { return std::pow(static_cast<double>(k + 1), 0.2) - 1.0; };
    const double all = static_cast<double>(rows * per_row);
    const auto share = [&](int64_t k) {
      return k == rows ? rows * per_row : static_cast<int64_t>(all * (up_to(k) / up_to(rows)));
    };
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t k = rank[static_cast<size_t>(row)];
      lengths[static_cast<size_t>(row)] = share(k + 1) - share(k);
    }
  }
  return lengths;
}

}  // namespace

extern "C" void make_rows(int* row_starts, int rows, int per_row, int structure) {
  const std::vector<int64_t> lengths = lengths_of_rows(rows, per_row, structure);
  int64_t sum = 0;
  for (int row = 0; row < rows; ++row) {
    row_starts[row] = static_cast<int>(sum);
    sum += lengths[static_cast<size_t>(row)];
  }
  row_starts[rows] = static_cast<int>(sum);
}

extern "C" void make_columns(int* columns, int rows, int per_row, int structure, int width) {
  std::vector<int> starts(static_cast<size_t>(rows) + 1);
  make_rows(starts.data(), rows, per_row, structure);
  const int64_t n = rows;
  const auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t start = starts[static_cast<size_t>(row)];
      const int64_t length = starts[static_cast<size_t>(row) + 1] - start;
      for (int64_t j = 0; j < length; ++j) {
        int64_t column;
        if (structure == banded) {
          // Three neighbours on each of some lines of a grid that is `width` wide.
          const int64_t place = j - length / 2 + 3 * length;
          column = row + ((place + 1) / 3 - length) * width + (place + 1) % 3 - 1;
          column = (column % n + n) % n;
        } else {
          // One in each of `length` equal parts of the row.
          const double part = static_cast<double>(n) / static_cast<double>(length);
          column = static_cast<int64_t>(
              (static_cast<double>(j) + fraction(static_cast<uint64_t>(start + j))) * part);
          column = std::min(column, n - 1);
        }
        columns[start + j] = static_cast<int>(column);
      }
    }
  };
  const int64_t cores = std::max<int64_t>(1, std::min<int64_t>(n, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int64_t core = 0; core < cores; ++core)
    threads.emplace_back(fill, n * core / cores, n * (core + 1) / cores);
  for (std::thread& thread : threads) thread.join();
}
