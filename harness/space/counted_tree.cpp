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

// A space's constraints, and behind them what `and` joins in each: `requires` of a variant is often one that names all
// parameters, and its parts are decided sooner and couple fewer.
class Parts {
 public:
  explicit Parts(const ParameterSpace& whole) {
    std::vector<Expression> all = whole.constraints();
    const std::size_t wholes = all.size();
    for (std::size_t one = 0; one < wholes; ++one) whole_of_.push_back(one);
    for (std::size_t one = 0; one < wholes; ++one) {
      const std::vector<Expression> parts = conjuncts(all[one]);
      if (parts.size() == 1) {
        first_.push_back(one);
        continue;
      }
      for (const Expression& part : parts) {
        first_.push_back(all.size());
        whole_of_.push_back(one);
        all.push_back(part);
      }
    }
    space_ = std::make_unique<const ParameterSpace>(whole.parameters(), std::move(all), whole.fixed());
  }

  [[nodiscard]] const ParameterSpace& space() const { return *space_; }
  // Places in it that say all that its constraints do.
  [[nodiscard]] const Places& all() const { return first_; }

  // Without the one of this text, which could not be evaluated: where that is a part, which another one may have guarded, with
  // the whole in the place of all its parts. False where something is missing then.
  bool replace(const std::string& text, Places& constraints) const {
    const auto has_text = [&](std::size_t one) { return space_->constraints()[one].text() == text; };
    const std::size_t whole = whole_of_[*std::ranges::find_if(constraints, has_text)];
    const bool was_part = std::ranges::find(constraints, whole) == constraints.end();
    std::erase_if(constraints, [&](std::size_t one) { return whole_of_[one] == whole; });
    if (was_part) constraints.push_back(whole);
    return was_part;
  }

 private:
  std::unique_ptr<const ParameterSpace> space_;
  std::vector<std::size_t> whole_of_;  // by place
  Places first_;
};

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
  const Parts parts(whole);
  const ParameterSpace& space = parts.space();
  Places constraints = parts.all();
  int vain = 0;
  for (;;) {
    lay_out(space, constraints);
    try {
      if (constraints.empty() || work() <= (vain < kMostVain ? kMostWork : kMostGiven)) {
        if (count()) return;
        ++vain;
      }
      is_exact_ = false;
      drop_widest(space, constraints);
    } catch (const ExpressionError& error) {
      if (!parts.replace(error.text, constraints)) is_exact_ = false;
    }
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

// False when that takes too long. Throws ExpressionError, with the constraint's text, when one cannot be evaluated.
bool CountedTree::count() {
  assignment_ = std::make_unique<Assignment>(*own_);
  given_ = 0;
  try {
    size_ = assignment_->possible() ? count_below(0) : 0;
    return true;
  } catch (const TooMany&) {
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
