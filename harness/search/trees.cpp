#include "search/trees.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tailwave::search {
namespace {

constexpr double kShareOfPairs = 0.35;  // of the tests that are tried
constexpr std::size_t kLeastTries = 3;

bool flip(Generator& random) {
  return random.next() >> 63U != 0;
}

std::uint32_t below(Generator& random, std::size_t count) {
  return random.below(static_cast<std::uint32_t>(count));
}

}  // namespace

Trees::Trees(std::vector<Column> columns, std::size_t trees) : columns_(std::move(columns)), trees_(trees) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == Column::logarithmic) logarithmic_.push_back(static_cast<std::uint16_t>(i));
}

void Trees::fit(std::span<const float> rows, std::span<const float> targets, Generator& random) {
  nodes_.clear();
  roots_.clear();
  rows_.assign(rows.begin(), rows.end());
  order_.resize(targets.size());
  values_.resize(targets.size());
  for (std::size_t tree = 0; tree < trees_; ++tree) {
    std::iota(order_.begin(), order_.end(), 0U);
    grow(targets, random);
  }
}

void Trees::grow(std::span<const float> targets, Generator& random) {
  const std::size_t width = columns_.size();
  roots_.push_back(static_cast<Leaf>(nodes_.size()));
  nodes_.emplace_back();
  std::vector<Part> open{{roots_.back(), 0, static_cast<std::uint32_t>(order_.size())}};
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    Split split = best_split(targets, part, random);
    if (split.gain <= 0) {
      float total = 0;
      for (std::uint32_t i = part.begin; i < part.end; ++i) total += targets[order_[i]];
      nodes_[part.node].threshold = total / static_cast<float>(part.end - part.begin);
      nodes_[part.node].row = order_[part.begin];
      continue;
    }
    const auto is_left = [&](std::uint32_t row) {
      return split.node.is_left(split.node.of(&rows_[row * width]));
    };
    const auto border = std::partition(order_.begin() + part.begin, order_.begin() + part.end, is_left);
    const auto middle = static_cast<std::uint32_t>(border - order_.begin());
    split.node.left = static_cast<std::uint32_t>(nodes_.size());
    nodes_[part.node] = split.node;
    open.push_back({split.node.left, part.begin, middle});
    open.push_back({split.node.left + 1, middle, part.end});
    nodes_.resize(nodes_.size() + 2);
  }
}

Trees::Split Trees::best_split(std::span<const float> targets, const Part& part, Generator& random) {
  Split best;
  float total = 0, least = targets[order_[part.begin]], most = least;
  for (std::uint32_t i = part.begin; i < part.end; ++i) {
    const float target = targets[order_[i]];
    total += target;
    least = std::min(least, target);
    most = std::max(most, target);
  }
  if (least == most) return best;
  const auto count = static_cast<float>(part.end - part.begin);
  const auto width = static_cast<std::uint16_t>(columns_.size());
  const std::size_t tries = std::max<std::size_t>(width, kLeastTries);
  const std::uint32_t first = below(random, width);
  // Should none of the random tests tell two rows apart, one of the columns by itself does.
  for (std::size_t i = 0; i < tries + width && (i < tries || best.gain <= 0); ++i) {
    Split split{i < tries ? random_test(random) : test_of(static_cast<std::uint16_t>((first + i) % width))};
    if (!draw_threshold(split.node, part, random)) continue;
    float left_total = 0, left = 0;
    for (std::uint32_t k = part.begin; k < part.end; ++k) {
      const bool is_left = split.node.is_left(values_[k]);
      left_total += is_left ? targets[order_[k]] : 0.0F;
      left += is_left ? 1.0F : 0.0F;
    }
    const float right_total = total - left_total;
    const float explained = left_total * left_total / left + right_total * right_total / (count - left);
    split.gain = std::max(explained - total * total / count, std::numeric_limits<float>::min());
    if (split.gain > best.gain) best = split;
  }
  return best;
}

Trees::Node Trees::test_of(std::uint16_t column) const {
  Node test;
  test.first = test.second = column;
  test.equal = columns_[column] == Column::unordered;
  return test;
}

Trees::Node Trees::random_test(Generator& random) const {
  Node test;
  const std::size_t count = logarithmic_.size();
  if (count > 1 && random.uniform() < kShareOfPairs) {
    const std::uint32_t first = below(random, count);
    test.first = logarithmic_[first];
    test.second = logarithmic_[(first + 1 + below(random, count - 1)) % count];
    test.factor = flip(random) ? 1 : -1;
  } else {
    test = test_of(static_cast<std::uint16_t>(below(random, columns_.size())));
  }
  return test;
}

// Leaves what the test finds of each row in values_. False where that is the same for all.
bool Trees::draw_threshold(Node& test, const Part& part, Generator& random) {
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (std::uint32_t i = part.begin; i < part.end; ++i) {
    const float value = test.of(&rows_[order_[i] * columns_.size()]);
    values_[i] = value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!(least < most)) return false;
  if (test.equal) {
    test.threshold = values_[part.begin + below(random, part.end - part.begin)];
  } else {
    test.threshold = least + (most - least) * static_cast<float>(random.uniform());
    if (!(test.threshold > least)) test.threshold = most;
  }
  return true;
}

void Trees::insert(std::span<const float> row, float target, Generator& random, std::vector<Leaf>& touched) {
  const auto number = static_cast<std::uint32_t>(rows_.size() / columns_.size());
  rows_.insert(rows_.end(), row.begin(), row.end());
  touched.clear();
  for (const Leaf root : roots_) {
    touched.push_back(descend(root, row.data()));
    split_leaf(touched.back(), number, target, random);
  }
}

// Parts the leaf's old rows from the new one, by the first column in a random order that tells them apart.
void Trees::split_leaf(Leaf leaf, std::uint32_t row, float target, Generator& random) {
  const Node old = nodes_[leaf];
  const std::size_t width = columns_.size();
  const std::size_t begin = below(random, width);
  std::size_t column = begin;
  const auto differs = [&] { return rows_[old.row * width + column] != rows_[row * width + column]; };
  while (!differs()) {
    column = (column + 1) % width;
    if (column != begin) continue;
    nodes_[leaf].threshold = target;
    return;
  }
  if (old.threshold == target) return;
  const float there = rows_[old.row * width + column], here = rows_[row * width + column];
  Node test = test_of(static_cast<std::uint16_t>(column));
  const float least = std::min(here, there), most = std::max(here, there);
  test.threshold = test.equal ? here : least + (most - least) * static_cast<float>(random.uniform());
  if (!test.equal && !(test.threshold > least)) test.threshold = most;
  test.left = static_cast<std::uint32_t>(nodes_.size());
  Node fresh;
  fresh.row = row;
  fresh.threshold = target;
  const bool left = test.is_left(here);
  nodes_[leaf] = test;
  nodes_.push_back(left ? fresh : old);
  nodes_.push_back(left ? old : fresh);
}

Trees::Leaf Trees::descend(Leaf from, const float* row) const {
  while (nodes_[from].left != 0) {
    const Node& node = nodes_[from];
    from = node.left + (node.is_left(node.of(row)) ? 0 : 1);
  }
  return from;
}

float Trees::forecast(const float* row) const {
  float total = 0;
  for (const Leaf root : roots_) total += value(descend(root, row));
  return total / static_cast<float>(roots_.size());
}

}  // namespace tailwave::search
