#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

// Lines beside each other, by their indices: equal ones; lines of both that differ; or a line that one side has alone.
struct DiffRow {
  std::optional<std::size_t> a, b;
  bool equal = false;

  bool operator==(const DiffRow&) const = default;
};

// All lines of both sides in their order, with as many equal ones beside each other as can be (E. W. Myers, "An O(ND)
// Difference Algorithm and Its Variations", Algorithmica 1, 1986). Lines that differ between two equal ones stand beside
// each other from the first on.
std::vector<DiffRow> diff_lines(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace tailwave
