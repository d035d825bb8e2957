#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "space/large_space.h"
#include "space/point_source.h"

namespace tailwave {

// A space whose configurations are rows, or some of the rows, of a table that may have further columns.
struct SpacePart {
  // All columns are the space's parameters, in their order.
  static SpacePart of(ParameterSpace space);

  ParameterSpace space;
  std::vector<std::uint16_t> row;    // with the values of the columns that are no parameter of the space
  std::vector<std::size_t> columns;  // by parameter
  std::vector<std::vector<std::uint16_t>> digits;  // by parameter and value: the value's number in its column

  // The row of a configuration, valid until the next one.
  std::span<const std::uint16_t> row_of(const std::vector<std::uint32_t>& indices);
};

// Several spaces as one. What two of them have is one configuration.
class JoinedSpaces final : public PointSource {
 public:
  explicit JoinedSpaces(std::vector<SpacePart> parts);

  // The sum; of parts that may have a configuration in common the largest count, as a lower bound.
  [[nodiscard]] Count count() const override;
  bool has(std::span<const std::uint16_t> row) override { return is_in(row, parts_.size()); }
  // Each equally likely, but where constraints that CountedTree leaves out rule out almost all: then
  // LargeSpace::search() finds one, if it does.
  bool draw(Generator& random, Row& row) override;
  std::function<bool(Row&)> in_order() override;

 private:
  struct Part {
    explicit Part(SpacePart own);

    // Its indices for a row; false where the row is none of its table.
    bool read(std::span<const std::uint16_t> row, std::vector<std::uint32_t>& read_indices) const;

    SpacePart part;
    std::vector<std::vector<std::uint32_t>> inverse;  // by column and number: the index of the value; kNone
    LargeSpace space;
    std::vector<std::uint32_t> indices;
  };

  // Whether one of the first so many parts has it.
  bool is_in(std::span<const std::uint16_t> row, std::size_t parts);
  bool draw_once(Generator& random, Row& row);
  bool search(Generator& random, Row& row);
  [[nodiscard]] bool are_apart() const;

  std::vector<std::unique_ptr<Part>> parts_;
  double size_ = 0;             // of the parts' trees
  bool is_sparse_ = false;      // hardly any draw succeeds
  bool finds_nothing_ = false;  // nor does a search
};

}  // namespace tailwave
