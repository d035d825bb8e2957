#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tailwave {

struct SideBySideStyle {
  std::size_t columns = 130;  // of both sides and what is between them
  std::size_t context = 3;    // equal lines around what differs
  bool all = false;           // equal lines are not left out
};

// As diff -y: B to the right of A, between them nothing where they are equal, '|' where they differ, '<' and '>' where one side
// alone has a line. What is too long goes on in the next line. Where equal lines are left out stands how many.
std::string side_by_side(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const SideBySideStyle& style);

}  // namespace tailwave
