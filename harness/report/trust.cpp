#include "report/trust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tailwave {
namespace {

constexpr std::size_t kFewestRight = 10;

}  // namespace

Trust::Trust(std::vector<JudgedChange> judged, double floor) : judged_(std::move(judged)), floor_(floor) {
  std::vector<const JudgedChange*> all;
  for (const JudgedChange& one : judged_) all.push_back(&one);
  least_margin_ = least_margin(std::move(all));
}

bool Trust::is_enough(double predicted, double margin, std::optional<double> least_margin) {
  return least_margin && predicted >= std::log(kLeastGain) && margin >= *least_margin;
}

std::optional<double> Trust::least_margin(std::vector<const JudgedChange*> judged) const {
  std::erase_if(judged, [](const JudgedChange* one) { return one->predicted < std::log(kLeastGain); });
  std::stable_sort(judged.begin(), judged.end(),
                   [](const JudgedChange* a, const JudgedChange* b) { return a->margin > b->margin; });
  std::optional<double> least;
  std::size_t right = 0;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    right += judged[i]->right() ? 1 : 0;
    if (right >= kFewestRight && succession(right, i + 1) >= kRight)
      least = std::max(floor_, judged[i]->margin);
  }
  return least;
}

std::vector<bool> Trust::believed() const {
  std::array<std::vector<const JudgedChange*>, 2> halves;
  std::vector<std::size_t> half_of;
  std::size_t points = 0;
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    if (i > 0 && judged_[i].point != judged_[i - 1].point) ++points;
    half_of.push_back(points % 2);
    halves.at(half_of.back()).push_back(&judged_[i]);
  }
  const std::array<std::optional<double>, 2> margins{least_margin(halves[1]), least_margin(halves[0])};
  std::vector<bool> believed;
  for (std::size_t i = 0; i < judged_.size(); ++i)
    believed.push_back(is_enough(judged_[i].predicted, judged_[i].margin, margins.at(half_of[i])));
  return believed;
}

}  // namespace tailwave
