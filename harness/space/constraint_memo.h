#pragma once

#include <cstdint>
#include <vector>

namespace tailwave {

// Whether a constraint holds, by the values of the parameters that it names: each combination is worked out once at
// most.
class ConstraintMemo {
 public:
  static constexpr std::size_t kMostEntries = 4'000'000;  // a byte each

  // Of `entries` combinations, none known; none at all: nothing is remembered.
  explicit ConstraintMemo(std::size_t entries) : known_(entries, kUnknown) {}

  // Calls `evaluate` where the answer is not known. What that throws is not remembered.
  template <typename Evaluate>
  bool get(std::size_t combination, const Evaluate& evaluate) {
    if (known_.empty()) return evaluate();
    std::uint8_t& known = known_[combination];
    if (known == kUnknown) known = evaluate() ? kHolds : kFails;
    return known == kHolds;
  }

 private:
  static constexpr std::uint8_t kUnknown = 0, kHolds = 1, kFails = 2;

  std::vector<std::uint8_t> known_;
};

}  // namespace tailwave
