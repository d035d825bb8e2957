#include "interchange/size_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace tailwave {
namespace {

bool all_numbers(const std::vector<Values>& problems, const std::string& quantity) {
  return std::ranges::all_of(problems, [&](const Values& one) { return is_number(one.at(quantity)); });
}

// Whether two quantities are the same in the same problems and one is larger where the other one is.
bool grow_together(const std::vector<Values>& problems, const std::string& one, const std::string& other) {
  std::map<double, double> of_one;
  for (const Values& problem : problems) {
    const double value = to_double(problem.at(other));
    if (of_one.emplace(to_double(problem.at(one)), value).first->second != value) return false;
  }
  const auto grows_not = [](const auto& low, const auto& high) { return low.second >= high.second; };
  return std::adjacent_find(of_one.begin(), of_one.end(), grows_not) == of_one.end();
}

std::vector<SizeAxis> axes_of(const std::vector<Values>& problems) {
  std::vector<SizeAxis> axes;
  for (const auto& one : problems.front()) {
    const std::string& quantity = one.first;
    const bool between = all_numbers(problems, quantity);
    const auto same = std::ranges::find_if(axes, [&](const SizeAxis& axis) {
      return between && axis.between && grow_together(problems, axis.quantities.front(), quantity);
    });
    if (same == axes.end())
      axes.push_back({{quantity}, {}, between});
    else
      same->quantities.push_back(quantity);
  }
  return axes;
}

std::vector<Value> place_of(const Values& problem, const SizeAxis& axis) {
  std::vector<Value> place;
  for (const std::string& quantity : axis.quantities) place.push_back(problem.at(quantity));
  return place;
}

bool is_before(const std::vector<Value>& one, const std::vector<Value>& other, bool numbers) {
  return numbers ? to_double(one.front()) < to_double(other.front()) : one < other;
}

void set_places(const std::vector<Values>& problems, SizeAxis& axis) {
  for (const Values& problem : problems) axis.places.push_back(place_of(problem, axis));
  const auto before = [&](const auto& one, const auto& other) { return is_before(one, other, axis.between); };
  std::ranges::sort(axis.places, before);
  const auto same = [&](const auto& one, const auto& other) { return !before(one, other); };
  axis.places.erase(std::unique(axis.places.begin(), axis.places.end(), same), axis.places.end());
}

std::size_t number_of_place(const Values& problem, const SizeAxis& axis) {
  const auto before = [&](const auto& one, const auto& other) { return is_before(one, other, axis.between); };
  return static_cast<std::size_t>(std::ranges::lower_bound(axis.places, place_of(problem, axis), before) -
                                  axis.places.begin());
}

double coordinate(const SizeAxis& axis, std::size_t place) {
  return size_coordinate(to_double(axis.places[place].front()));
}

}  // namespace

std::int64_t SizeAxes::key(const std::vector<std::size_t>& point) const {
  std::int64_t key = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    key = key * static_cast<std::int64_t>(axes[i].places.size()) + static_cast<std::int64_t>(point[i]);
  return key;
}

double SizeAxes::combinations() const {
  double product = 1;
  for (const SizeAxis& axis : axes) product *= static_cast<double>(axis.places.size());
  return product;
}

Quantities quantity_names(const Values& problem) {
  Quantities names;
  for (const auto& [name, value] : problem) names.insert(name);
  return names;
}

bool has_quantities(const std::vector<Values>& problems, const Quantities& quantities) {
  return std::ranges::all_of(problems,
                             [&](const Values& problem) { return quantity_names(problem) == quantities; });
}

SizeAxes size_axes(const std::vector<Values>& problems) {
  if (problems.empty()) return {};
  if (!has_quantities(problems, quantity_names(problems.front())))
    throw std::invalid_argument("problems with different quantities have no axes");
  SizeAxes result{axes_of(problems), {}};
  for (SizeAxis& axis : result.axes) set_places(problems, axis);
  for (const Values& problem : problems) {
    std::vector<std::size_t>& point = result.points.emplace_back();
    for (const SizeAxis& axis : result.axes) point.push_back(number_of_place(problem, axis));
  }
  return result;
}

std::vector<Between> all_between(const SizeAxes& sizes) {
  std::map<std::vector<std::size_t>, std::size_t> problems;
  for (std::size_t i = 0; i < sizes.points.size(); ++i) problems.emplace(sizes.points[i], i);
  std::vector<Between> all;
  for (std::size_t middle = 0; middle < sizes.points.size(); ++middle) {
    for (std::size_t axis = 0; axis < sizes.axes.size(); ++axis) {
      const std::size_t place = sizes.points[middle][axis];
      if (!sizes.axes[axis].between || place == 0) continue;
      std::vector<std::size_t> low = sizes.points[middle], high = low;
      --low[axis];
      ++high[axis];
      const auto lower = problems.find(low), higher = problems.find(high);
      if (lower == problems.end() || higher == problems.end()) continue;
      const double from = coordinate(sizes.axes[axis], place - 1),
                   to = coordinate(sizes.axes[axis], place + 1);
      all.push_back({lower->second, middle, higher->second, axis,
                     (coordinate(sizes.axes[axis], place) - from) / (to - from)});
    }
  }
  return all;
}

double size_coordinate(double value) {
  const double size = std::fabs(value);
  return size <= 1 ? value : std::copysign(1 + std::log(size), value);
}

}  // namespace tailwave
