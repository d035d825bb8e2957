#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

// Configurations of one problem that were measured, as points: each has a value of every parameter, by its number.
struct MeasuredPoints {
  struct Point {
    std::int64_t id = 0;
    std::vector<std::uint32_t> values;  // a number for each parameter
    double log_speed = 0;               // natural logarithm of how fast; differences are what counts
  };
  std::size_t parameters = 0;
  std::vector<Point> points;
};

// A change of one parameter of a measured point, to a point that may be measured or not.
struct NeighbourChange {
  std::size_t point = 0;  // in MeasuredPoints::points
  std::size_t parameter = 0;
  std::uint32_t value = 0;  // the new one
};

// What the same change did elsewhere.
struct NeighbourPrediction {
  double log_gain = 0;  // mean of the pairs'
  double margin = 0;    // log_gain over the standard error of predicting another one
  std::size_t pairs = 0, faster = 0;
};

// What changes of one parameter may be expected to gain, by what the same change from and to the same value gained where
// other parameters differ: the pairs of measured points that agree with the changed one in most of their other parameters,
// at most 12. Nothing is predicted from fewer than 3. The changed point itself is never among them, so that a prediction
// for a point that was measured is one that was made without it.
//
// How far to trust that, the measured points say: each measured change from one of the fastest fifth is predicted, and the
// least margin is taken from which on 94 of 100 predicted gains of 2 % or more were gains at all (by the rule of
// succession, and at least 10 of them). Where there is none, nothing is advised.
class NeighbourModel {
 public:
  explicit NeighbourModel(MeasuredPoints points);
  ~NeighbourModel();

  [[nodiscard]] std::optional<NeighbourPrediction> predict(const NeighbourChange& change) const;
  // Whether a prediction is advice.
  [[nodiscard]] bool trusted(const NeighbourPrediction& prediction) const;

  // A measured change that was predicted without its end.
  struct Judged {
    NeighbourChange change;
    NeighbourPrediction prediction;
    double log_gain = 0;  // measured
  };
  [[nodiscard]] const std::vector<Judged>& judged() const { return judged_; }

  // Values that the parameter has in some measured point, but for the point's own, in ascending order.
  [[nodiscard]] std::vector<NeighbourChange> changes_of(std::size_t point) const;
  // The point that a change leads to, if it was measured.
  [[nodiscard]] std::optional<std::size_t> measured_end(const NeighbourChange& change) const;

  static constexpr double kLeastGain = 1.02;  // of what is called a gain

 private:
  class Index;

  void judge();

  MeasuredPoints points_;
  std::unique_ptr<Index> index_;
  std::vector<Judged> judged_;
  std::optional<double> least_margin_;
};

}  // namespace tailwave
