#include "space/counted_tree.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "space/conjuncts.h"

namespace tailwave {
namespace {

using Places = std::vector<std::size_t>;

// To be counted anyway, constraints have to rule out most of what is possible.
constexpr double kMostWork = 100.0 * CountedTree::kMostGiven;
// Attempts that may end beyond kMostGiven.
constexpr int kMostVain = 3;

struct TooMany {};

// `requires` of a variant is often one expression that names all parameters. What it joins is decided sooner, and couples fewer.
ParameterSpace with_conjuncts(const ParameterSpace& space) {
  std::vector<Expression> all;
  for (const Expression& constraint : space.constraints())
    for (const Expression& part : conjuncts(constraint)) all.push_back(part);
  return ParameterSpace(space.parameters(), std::move(all), space.fixed());
}

double values_of(const ParameterSpace& space, const Places& places) {
  return std::accumulate(places.begin(), places.end(), 1.0, [&](double product, std::size_t place) {
    return product * static_cast<double>(space.parameters()[place].values.size());
  });
}

// Takes out the constraint that couples the most combinations of values.
void drop_widest(const ParameterSpace& space, Places& constraints) {
  constraints.erase(
      std::max_element(constraints.begin(), constraints.end(), [&](std::size_t one, std::size_t other) {
        return values_of(space, space.parameters_of(one)) < values_of(space, space.parameters_of(other));
      }));
}

// The levels of a tree: next is always the parameter that leaves the fewest combinations to be told apart below it.
class Order {
 public:
  Order(const ParameterSpace& space, const Places& constraints)
      : space_(space), naming_(space.parameters().size()), is_placed_(naming_.size(), false) {
    for (const std::size_t constraint : constraints) {
      const Places named = space.parameters_of(constraint);
      for (const std::size_t place : named) naming_[place].push_back(unplaced_.size());
      unplaced_.push_back(named.size());
    }
  }

  [[nodiscard]] bool is_complete() const { return placed_.size() == naming_.size(); }

  std::size_t place_next() {
    std::optional<std::pair<double, std::size_t>> least;
    std::size_t next = 0;
    for (std::size_t place = 0; place < naming_.size(); ++place) {
      if (is_placed_[place]) continue;
      add(place);
      const std::pair rank(values_of(space_, named_later()), space_.parameters()[place].values.size());
      take_back();
      if (least && rank >= *least) continue;
      least = rank;
      next = place;
    }
    add(next);
    return next;
  }

  [[nodiscard]] bool is_free(std::size_t place) const { return naming_[place].empty(); }

  // Those placed that a constraint names beside one that is not, in their order.
  [[nodiscard]] Places named_later() const {
    Places named;
    for (const std::size_t place : placed_) {
      const auto is_open = [&](std::size_t constraint) { return unplaced_[constraint] > 0; };
      if (std::any_of(naming_[place].begin(), naming_[place].end(), is_open)) named.push_back(place);
    }
    return named;
  }

 private:
  void add(std::size_t place) {
    is_placed_[place] = true;
    placed_.push_back(place);
    for (const std::size_t constraint : naming_[place]) --unplaced_[constraint];
  }
  void take_back() {
    for (const std::size_t constraint : naming_[placed_.back()]) ++unplaced_[constraint];
    is_placed_[placed_.back()] = false;
    placed_.pop_back();
  }

  const ParameterSpace& space_;
  std::vector<Places> naming_;         // by parameter: the constraints that name it
  std::vector<std::size_t> unplaced_;  // by constraint: how many of what it names
  std::vector<bool> is_placed_;
  Places placed_;
};

}  // namespace

CountedTree::CountedTree(const ParameterSpace& whole) {
  const ParameterSpace space = with_conjuncts(whole);
  Places constraints(space.constraints().size());
  std::iota(constraints.begin(), constraints.end(), std::size_t{0});
  int vain = 0;
  for (;;) {
    lay_out(space, constraints);
    const bool may_try = constraints.empty() || work() <= (vain < kMostVain ? kMostWork : kMostGiven);
    if (may_try && count(space, constraints)) return;
    is_exact_ = false;
    if (may_try && given_ <= kMostGiven) continue;  // without one that cannot be evaluated
    if (may_try) ++vain;
    drop_widest(space, constraints);
  }
}

void CountedTree::lay_out(const ParameterSpace& space, const std::vector<std::size_t>& constraints) {
  Order order(space, constraints);
  order_.clear();
  levels_.clear();
  std::vector<Parameter> parameters;
  while (!order.is_complete()) {
    Level& level = levels_.emplace_back();
    std::uint64_t stride = 1;
    for (const std::size_t place : order.named_later()) {
      const auto above = std::find(order_.begin(), order_.end(), place) - order_.begin();
      level.named.push_back(static_cast<std::size_t>(above));
      level.strides.push_back(stride);
      stride *= space.parameters()[place].values.size();  // where it matters, work() has seen to its size
    }
    order_.push_back(order.place_next());
    level.is_free = order.is_free(order_.back());
    parameters.push_back(space.parameters()[order_.back()]);
  }
  std::vector<Expression> kept;
  for (const std::size_t constraint : constraints) kept.push_back(space.constraints()[constraint]);
  own_ = std::make_unique<const ParameterSpace>(std::move(parameters), std::move(kept), space.fixed());
}

// Values to be tried if no constraint ruled any out.
double CountedTree::work() const {
  double work = 0;
  for (std::size_t level = 0; level < order_.size(); ++level) {
    auto combinations = static_cast<double>(own_->parameters()[level].values.size());
    for (const std::size_t above : levels_[level].named)
      combinations *= static_cast<double>(own_->parameters()[above].values.size());
    work += combinations;
  }
  return work;
}

// False when that takes too long, and, with the constraint left out, when one cannot be evaluated.
bool CountedTree::count(const ParameterSpace& space, std::vector<std::size_t>& constraints) {
  assignment_ = std::make_unique<Assignment>(*own_);
  given_ = 0;
  try {
    size_ = assignment_->possible() ? count_below(0) : 0;
    return true;
  } catch (const TooMany&) {
    return false;
  } catch (const ExpressionError& error) {
    std::erase_if(constraints,
                  [&](std::size_t one) { return space.constraints()[one].text() == error.text; });
    return false;
  }
}

// Recursive: as deep as there are parameters.
double CountedTree::count_below(std::size_t level) {
  if (level == order_.size()) return 1;
  const std::uint64_t key = key_of(level);
  const auto known = levels_[level].counts.find(key);
  if (known != levels_[level].counts.end()) return known->second;
  double count = 0;
  const std::size_t values = own_->parameters()[level].values.size();
  for (std::uint32_t i = 0; i < values; ++i) {
    if (++given_ > kMostGiven && !own_->constraints().empty()) throw TooMany();
    if (assignment_->give(level, i)) count += count_below(level + 1);
  }
  levels_[level].counts.emplace(key, count);
  return count;
}

std::uint64_t CountedTree::key_of(std::size_t level) const {
  const Level& own = levels_[level];
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < own.named.size(); ++i)
    key += own.strides[i] * assignment_->indices()[own.named[i]];
  return key;
}

void CountedTree::draw(Generator& random, std::vector<std::uint32_t>& indices) {
  indices.resize(order_.size());
  for (std::size_t level = 0; level < order_.size(); ++level) {
    const std::size_t values = own_->parameters()[level].values.size();
    if (levels_[level].is_free) {
      indices[order_[level]] = random.below(static_cast<std::uint32_t>(values));
      (void)assignment_->give(level, indices[order_[level]]);
      continue;
    }
    // The first value beyond which the drawn share of the configurations below lies; rounding may leave none.
    double left = random.uniform() * levels_[level].counts.at(key_of(level));
    std::uint32_t chosen = 0;
    for (std::uint32_t i = 0; i < values; ++i) {
      if (!assignment_->give(level, i)) continue;
      const double below = level + 1 == order_.size() ? 1 : levels_[level + 1].counts.at(key_of(level + 1));
      if (below == 0) continue;
      chosen = i;
      if (left < below) break;
      left -= below;
    }
    (void)assignment_->give(level, chosen);
    indices[order_[level]] = chosen;
  }
}

}  // namespace tailwave
