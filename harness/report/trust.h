#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tailwave {

// A predicted change whose gain was measured, and the prediction made without that. Gains are natural logarithms of how
// many times as fast.
struct JudgedChange {
  std::size_t point = 0;  // that is changed
  double predicted = 0;
  double margin = 0;  // the predicted gain over the standard error of such a prediction
  double measured = 0;
  [[nodiscard]] bool right() const { return measured > 0; }
};

// How far predictions may be believed, by those that were judged: the least margin is taken from which on 94 of 100
// predicted gains of 2 % or more were gains at all (by the rule of succession, and at least 10 of them). Where there is
// none, nothing is believed.
class Trust {
 public:
  static constexpr double kLeastGain = 1.02;  // of what is called a gain
  static constexpr double kRight = 0.94;
  // Laplace's rule of succession: how likely the next one is to be right.
  static double succession(std::size_t right, std::size_t of) {
    return static_cast<double>(right + 1) / static_cast<double>(of + 2);
  }

  Trust() = default;
  // `judged`: those of a point one after another. `floor`: no smaller margin is believed.
  explicit Trust(std::vector<JudgedChange> judged, double floor = 0);

  [[nodiscard]] bool in(double predicted, double margin) const {
    return is_enough(predicted, margin, least_margin_);
  }
  [[nodiscard]] const std::vector<JudgedChange>& judged() const { return judged_; }
  // Of each of them, whether it would have been believed by the others: the points are halved, and the margin of each
  // half is taken from the other one, so that no change has a say in whether it is.
  [[nodiscard]] std::vector<bool> believed() const;

 private:
  [[nodiscard]] std::optional<double> least_margin(std::vector<const JudgedChange*> judged) const;
  static bool is_enough(double predicted, double margin, std::optional<double> least_margin);

  std::vector<JudgedChange> judged_;
  double floor_ = 0;
  std::optional<double> least_margin_;
};

}  // namespace tailwave
