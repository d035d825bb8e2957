#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace tailwave::search {

// How a column of a table of features may be split.
enum class Column : std::uint8_t {
  ordered,  // by a threshold
  logarithmic,  // the same; sums and differences of two such columns, too: products and ratios of what they stand for
  unordered,  // one value against all others
};

// An ensemble of extremely randomised regression trees (Geurts, Ernst & Wehenkel, "Extremely randomized trees",
// 2006): every tree sees all rows, each split is the best of a few random ones, and leaves are split until all their
// targets are the same. Splits by the sum or difference of two logarithms see threads a block or work a thread
// whatever the parameters are called. Between two fits single rows can be added: each splits the leaf that it falls
// into.
class Trees {
 public:
  using Leaf = std::uint32_t;

  Trees(std::vector<Column> columns, std::size_t trees);

  // `rows` holds targets.size() rows, at least one, of columns.size() features each.
  void fit(std::span<const float> rows, std::span<const float> targets, Generator& random);
  // One row more. A row that is there already gets the new target. `touched`: of each tree the leaf that it fell
  // into, which may be split now: descend() leads on from there.
  void insert(std::span<const float> row, float target, Generator& random, std::vector<Leaf>& touched);

  [[nodiscard]] std::size_t size() const { return trees_; }
  [[nodiscard]] bool is_fitted() const { return !roots_.empty(); }
  [[nodiscard]] Leaf root(std::size_t tree) const { return roots_[tree]; }
  [[nodiscard]] Leaf descend(Leaf from, const float* row) const;
  [[nodiscard]] float value(Leaf leaf) const { return nodes_[leaf].threshold; }
  // The mean over the trees.
  [[nodiscard]] float forecast(const float* row) const;

 private:
  struct Node {
    std::uint16_t first = 0, second = 0;  // columns
    std::int8_t factor = 0;               // of the second: 1, -1, or 0 where it does not count
    bool equal = false;                   // left if the value is the threshold; else, if it is below
    float threshold = 0;                  // the forecast, in a leaf
    std::uint32_t left = 0;               // the right child follows it; 0: a leaf
    std::uint32_t row = 0;                // one of a leaf's rows

    [[nodiscard]] float of(const float* features) const {
      return features[first] + static_cast<float>(factor) * features[second];
    }
    [[nodiscard]] bool is_left(float value) const { return equal ? value == threshold : value < threshold; }
  };
  struct Part {  // of order_
    std::uint32_t node, begin, end;
  };
  struct Split {
    Node node;
    float gain = 0;  // by how much it lessens the sum of squared errors, up to a constant
  };

  void grow(std::span<const float> targets, Generator& random);
  Split best_split(std::span<const float> targets, const Part& part, Generator& random);
  [[nodiscard]] Node test_of(std::uint16_t column) const;
  Node random_test(Generator& random) const;
  bool draw_threshold(Node& test, const Part& part, Generator& random);
  void split_leaf(Leaf leaf, std::uint32_t row, float target, Generator& random);

  std::vector<Column> columns_;
  std::vector<std::uint16_t> logarithmic_;
  std::size_t trees_;
  std::vector<float> rows_;
  std::vector<Node> nodes_;
  std::vector<Leaf> roots_;
  std::vector<std::uint32_t> order_;  // of rows: those of a node stand together
  std::vector<float> values_;         // of a test, in that order
};

}  // namespace tailwave::search
