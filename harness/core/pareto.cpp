#include "core/pareto.h"

#include <algorithm>
#include <cstddef>

namespace tailwave {
namespace {

enum class Fate { open, front, out };

bool beats_by_values(const ParetoPoint& a, const ParetoPoint& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].value > b[i].value) return false;
    better = better || a[i].value < b[i].value;
  }
  return better;
}

class Front {
 public:
  explicit Front(std::span<const ParetoPoint> points) : points_(points), fates_(points.size(), Fate::open) {}

  std::vector<bool> find() {
    keep_open_without([this](std::size_t a, std::size_t b) { return dominates(points_[a], points_[b]); },
                      [](Fate) { return true; });
    // What is left open then is dominated by what is left open: circles.
    while (std::ranges::count(fates_, Fate::open) > 0)
      keep_open_without(
          [this](std::size_t a, std::size_t b) { return beats_by_values(points_[a], points_[b]); },
          [](Fate fate) { return fate == Fate::open; });
    std::vector<bool> front;
    for (const Fate fate : fates_) front.push_back(fate == Fate::front);
    return front;
  }

 private:
  // Of the open points those stay in the front that none whose fate `counts` is better than; what they dominate, and
  // what that dominates in turn, is out.
  template <class Better, class Counts>
  void keep_open_without(Better better, Counts counts) {
    std::vector<std::size_t> kept;
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (fates_[b] != Fate::open) continue;
      bool stays = true;
      for (std::size_t a = 0; a < points_.size() && stays; ++a)
        stays = a == b || !counts(fates_[a]) || !better(a, b);
      if (stays) kept.push_back(b);
    }
    for (const std::size_t one : kept) fates_[one] = Fate::front;
    for (std::size_t next = 0; next < kept.size(); ++next) {
      for (std::size_t b = 0; b < points_.size(); ++b) {
        if (fates_[b] != Fate::open || !dominates(points_[kept[next]], points_[b])) continue;
        fates_[b] = Fate::out;
        kept.push_back(b);
      }
    }
  }

  std::span<const ParetoPoint> points_;
  std::vector<Fate> fates_;
};

}  // namespace

bool surely_better(const ParetoCost& a, const ParetoCost& b) {
  return a.high < b.low;
}

bool dominates(const ParetoPoint& a, const ParetoPoint& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (surely_better(b[i], a[i])) return false;
    better = better || surely_better(a[i], b[i]);
  }
  return better;
}

std::vector<bool> pareto_front(std::span<const ParetoPoint> points) {
  return Front(points).find();
}

}  // namespace tailwave
