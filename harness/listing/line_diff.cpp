#include "listing/line_diff.h"

#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tailwave {
namespace {

using Index = std::ptrdiff_t;

// The part of both sides from begin to end.
struct Part {
  Index a_begin = 0, a_end = 0, b_begin = 0, b_end = 0;

  [[nodiscard]] Index a_size() const { return a_end - a_begin; }
  [[nodiscard]] Index b_size() const { return b_end - b_begin; }
};

class Matcher {
 public:
  Matcher(const std::vector<std::string>& a, const std::vector<std::string>& b)
      : a_(numbers(a)), b_(numbers(b)), partner_(a.size()) {
    const std::size_t diagonals = 2 * (a.size() + b.size()) + 3;
    forward_.resize(diagonals);
    backward_.resize(diagonals);
    match({0, static_cast<Index>(a.size()), 0, static_cast<Index>(b.size())});
  }

  // Of each line of A the equal one of B.
  [[nodiscard]] const std::vector<std::optional<std::size_t>>& partners() const { return partner_; }

 private:
  std::vector<std::size_t> numbers(const std::vector<std::string>& lines) {
    std::vector<std::size_t> result;
    for (const std::string& line : lines) result.push_back(known_.emplace(line, known_.size()).first->second);
    return result;
  }

  [[nodiscard]] bool equal(Index a, Index b) const {
    return a_[static_cast<std::size_t>(a)] == b_[static_cast<std::size_t>(b)];
  }

  void pair(Index a, Index b) { partner_[static_cast<std::size_t>(a)] = static_cast<std::size_t>(b); }

  void match(Part part) {
    while (part.a_size() > 0 && part.b_size() > 0 && equal(part.a_begin, part.b_begin))
      pair(part.a_begin++, part.b_begin++);
    while (part.a_size() > 0 && part.b_size() > 0 && equal(part.a_end - 1, part.b_end - 1))
      pair(--part.a_end, --part.b_end);
    if (part.a_size() == 0 || part.b_size() == 0) return;
    const auto [a, b] = middle(part);
    match({part.a_begin, a, part.b_begin, b});
    match({a, part.a_end, b, part.b_end});
  }

  // Diagonals have negative numbers, too.
  [[nodiscard]] Index& at(std::vector<Index>& furthest, Index diagonal) const {
    return furthest[static_cast<std::size_t>(diagonal + static_cast<Index>(a_.size() + b_.size()) + 1)];
  }

  // How far a path of one more edit comes on a diagonal before it can follow equal lines.
  [[nodiscard]] Index step(std::vector<Index>& furthest, Index diagonal, Index edits) const {
    const bool down =
        diagonal == -edits || (diagonal != edits && at(furthest, diagonal - 1) < at(furthest, diagonal + 1));
    return down ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
  }

  // Where a shortest path is half done: the paper's middle snake, of which the end is enough. At least two lines differ, so
  // that it is neither corner.
  std::pair<Index, Index> middle(const Part& part) {
    const Index delta = part.a_size() - part.b_size();
    const bool odd = delta % 2 != 0;
    at(forward_, 1) = at(backward_, 1) = 0;
    for (Index edits = 0;; ++edits) {
      for (Index k = -edits; k <= edits; k += 2) {
        Index x = step(forward_, k, edits);
        while (x < part.a_size() && x - k < part.b_size() && equal(part.a_begin + x, part.b_begin + x - k))
          ++x;
        at(forward_, k) = x;
        const Index other = delta - k;
        if (odd && other > -edits && other < edits && x + at(backward_, other) >= part.a_size())
          return {part.a_begin + x, part.b_begin + x - k};
      }
      for (Index k = -edits; k <= edits; k += 2) {
        Index x = step(backward_, k, edits);
        while (x < part.a_size() && x - k < part.b_size() &&
               equal(part.a_end - 1 - x, part.b_end - 1 - x + k))
          ++x;
        at(backward_, k) = x;
        const Index other = delta - k;
        if (!odd && other >= -edits && other <= edits && x + at(forward_, other) >= part.a_size())
          return {part.a_end - x, part.b_end - x + k};
      }
    }
  }

  std::unordered_map<std::string, std::size_t> known_;
  std::vector<std::size_t> a_, b_;  // equal lines have the same number
  std::vector<std::optional<std::size_t>> partner_;
  std::vector<Index> forward_, backward_;
};

}  // namespace

std::vector<DiffRow> diff_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const Matcher matcher(a, b);
  std::vector<DiffRow> rows;
  std::size_t from_a = 0, from_b = 0;
  const auto add_until = [&](std::size_t to_a, std::size_t to_b) {
    while (from_a < to_a || from_b < to_b) {
      DiffRow& row = rows.emplace_back();
      if (from_a < to_a) row.a = from_a++;
      if (from_b < to_b) row.b = from_b++;
    }
  };
  for (std::size_t line = 0; line < a.size(); ++line) {
    const std::optional<std::size_t>& partner = matcher.partners()[line];
    if (!partner) continue;
    add_until(line, *partner);
    rows.push_back({from_a++, from_b++, true});
  }
  add_until(a.size(), b.size());
  return rows;
}

}  // namespace tailwave
