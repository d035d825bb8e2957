#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "space/parameter_space.h"

namespace tailwave {

// A valid configuration, by its number in the order of enumeration.
using Point = std::uint32_t;

enum class Neighbourhood {
  hamming,   // one parameter has any other value
  adjacent,  // one parameter has the next smaller or larger value; of texts and bools any other
};

// All valid configurations of a space, as one row of value numbers each: for searching at random and by neighbours
// without testing a constraint again. 16 bytes a configuration and 2 for each of its parameters.
class SearchSpace {
 public:
  static constexpr std::size_t kMostPoints = 100'000'000;
  static constexpr std::size_t kMostValues = 65'536;  // of one parameter

  // Empty, to be filled by add(). Throws std::invalid_argument for a parameter with no or too many values.
  explicit SearchSpace(std::vector<Parameter> parameters);
  // All that the constraints allow. Throws what ParameterSpace::for_each throws, and Error beyond kMostPoints.
  static SearchSpace of(const ParameterSpace& space);

  // Appends a configuration; `digits[i]` numbers a value of parameters()[i]. One that is there already stays as it is.
  Point add(std::span<const std::uint32_t> digits);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] std::span<const std::uint16_t> digits(Point point) const;
  [[nodiscard]] Values values(Point point) const;

  // In constant time.
  [[nodiscard]] std::optional<Point> find(std::span<const std::uint16_t> row) const;
  // Valid ones only, in ascending order of parameter and value; time proportional to the number of tried values.
  void neighbours(Point point, Neighbourhood neighbourhood, std::vector<Point>& found) const {
    neighbours(digits(point), neighbourhood, found);
  }
  // The same of any combination of values, itself valid or not.
  void neighbours(std::span<const std::uint16_t> own, Neighbourhood neighbourhood,
                  std::vector<Point>& found) const;

  // `count` different ones, each set of them equally likely; all of them when there are no more.
  [[nodiscard]] std::vector<Point> sample(std::size_t count, Generator& random) const;

  // The place of a value among its parameter's, smallest first: 0..values - 1. Texts keep the order that they were
  // given in.
  [[nodiscard]] std::uint16_t rank(std::size_t parameter, std::uint16_t digit) const {
    return ranks_[parameter][digit];
  }
  // The inverse of rank().
  [[nodiscard]] std::uint16_t digit(std::size_t parameter, std::uint16_t rank) const {
    return by_rank_[parameter][rank];
  }
  // False where the values of a parameter have no order: texts and bools.
  [[nodiscard]] bool is_ordered(std::size_t parameter) const { return ordered_[parameter]; }

 private:
  [[nodiscard]] std::size_t slot_of(std::span<const std::uint16_t> row) const;
  void grow();

  std::vector<Parameter> parameters_;
  std::vector<std::vector<std::uint16_t>> ranks_, by_rank_;  // by parameter
  std::vector<bool> ordered_;
  std::vector<std::uint16_t> rows_;
  std::size_t size_ = 0;
  std::vector<Point> slots_;  // open addressing, a power of two; kNoPoint: free
};

}  // namespace tailwave
