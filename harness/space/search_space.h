#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "space/parameter_space.h"
#include "space/point_source.h"

namespace tailwave {

// A valid configuration, by its number: in the order of enumeration where all are listed, else in that in which they
// were met.
using Point = std::uint32_t;

enum class Neighbourhood {
  hamming,   // one parameter has any other value
  adjacent,  // one parameter has the next smaller or larger value; of texts and bools any other
};

// The valid configurations of a space, as one row of value numbers each: for searching at random and by neighbours.
//
// Where there are few enough all are listed, and no constraint is tested again: 16 bytes a configuration and 2 for
// each of its parameters. Else a PointSource says which are valid, and a configuration gets its number when it is
// first met: drawn, found or tried as a neighbour. Handing out numbers changes nothing of which configurations there
// are, so it is allowed of a const space, but from one thread at a time.
class SearchSpace {
 public:
  static constexpr std::size_t kMostListed = 2'000'000;
  // Values tried before a space whose configurations are hard to find is no longer listed.
  static constexpr std::size_t kMostTried = 8'000'000;
  static constexpr std::size_t kMostValues = 65'536;  // of one parameter

  // Empty, to be filled by add(). Throws std::invalid_argument for a parameter with no or too many values.
  explicit SearchSpace(std::vector<Parameter> parameters);
  // What the source has, without a list.
  SearchSpace(std::vector<Parameter> parameters, std::shared_ptr<PointSource> source);
  // All that the constraints allow, listed where there are at most so many. Throws what ParameterSpace::for_each
  // throws.
  static SearchSpace of(const ParameterSpace& space, std::size_t most_listed = kMostListed);

  // Appends a configuration; `digits[i]` numbers a value of parameters()[i]. One that is there already stays as it is.
  Point add(std::span<const std::uint32_t> digits);
  Point add(std::span<const std::uint16_t> row) { return number(row); }

  // Whether all have their numbers.
  [[nodiscard]] bool is_listed() const { return source_ == nullptr; }
  // How many have a number: all, where they are listed.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Count count() const {
    return is_listed() ? Count{static_cast<double>(size_)} : source_->count();
  }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  // Stays where it is as long as the space.
  [[nodiscard]] std::span<const std::uint16_t> digits(Point point) const;
  [[nodiscard]] Values values(Point point) const;

  [[nodiscard]] bool has(std::span<const std::uint16_t> row) const;
  // In constant time where all are listed.
  [[nodiscard]] std::optional<Point> find(std::span<const std::uint16_t> row) const;
  // Valid ones only, in ascending order of parameter and value; time proportional to the number of tried values.
  void neighbours(Point point, Neighbourhood neighbourhood, std::vector<Point>& found) const {
    neighbours(digits(point), neighbourhood, found);
  }
  // The same of any combination of values, itself valid or not.
  void neighbours(std::span<const std::uint16_t> own, Neighbourhood neighbourhood,
                  std::vector<Point>& found) const;

  // One of all, as equally likely as can be. Throws Error where none is listed or found.
  [[nodiscard]] Point any(Generator& random) const;
  // `count` different ones, each set of them equally likely; all of them when there are no more. Fewer where no more
  // are found.
  [[nodiscard]] std::vector<Point> sample(std::size_t count, Generator& random) const;
  // Gives one after another, in the order of enumeration. Usable as long as the space.
  [[nodiscard]] std::function<std::optional<Point>()> in_order() const;

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
  Point number(std::span<const std::uint16_t> row) const;
  void grow() const;

  std::vector<Parameter> parameters_;
  std::vector<std::vector<std::uint16_t>> ranks_, by_rank_;  // by parameter
  std::vector<bool> ordered_;
  std::shared_ptr<PointSource> source_;  // none: all are listed
  // Of those that have a number.
  mutable std::vector<std::vector<std::uint16_t>> blocks_;  // of kBlock rows each, which stay where they are
  mutable std::size_t size_ = 0;
  mutable std::vector<Point> slots_;  // open addressing, a power of two; kNoPoint: free
};

}  // namespace tailwave
