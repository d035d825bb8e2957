#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "adopt/draft.h"

namespace tailwave {

// Sizes of a launch's grid that the program's arguments say and that no kernel gets: a number of rows or of rounds. Each
// becomes a guessed quantity of its own name.
class OpenSizes {
 public:
  OpenSizes(Draft& draft, const DraftLaunch& launch);

  // Of the variables in a term of the host's code, and of those that they are made of.
  void guess(const CTerm& term, std::size_t place) { guess(term, place, 0); }
  // Those that the grid then did without.
  void forget_unused();

 private:
  void guess(const CTerm& term, std::size_t place, int depth);
  void note_block(const CTerm& term, std::size_t place, int depth);

  Draft& draft_;
  const DraftLaunch& launch_;
  std::set<std::string> of_block_;    // variables that its size is made of, which is a parameter
  std::vector<std::string> guessed_;  // quantities
};

}  // namespace tailwave
