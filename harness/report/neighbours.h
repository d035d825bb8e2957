#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/trust.h"

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

// How many of so many points are the fastest fifth: at least 5.
std::size_t fastest_fifth(std::size_t points);

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

// What changes of one parameter may be expected to gain, by what the same change from and to the same value gained
// where other parameters differ: the pairs of measured points that agree with the changed one in most of their other
// parameters, at most 12. Nothing is predicted from fewer than 3. The changed point itself is never among them, so
// that a prediction for a point that was measured is one that was made without it.
//
// How far to trust that, the measured points say: each measured change from one of the fastest fifth is judged.
class NeighbourModel {
 public:
  explicit NeighbourModel(MeasuredPoints points);
  ~NeighbourModel();
  NeighbourModel(const NeighbourModel&) = delete;
  NeighbourModel& operator=(const NeighbourModel&) = delete;

  [[nodiscard]] std::optional<NeighbourPrediction> predict(const NeighbourChange& change) const;
  // Judged by the measured changes from the fastest points, at most kMostJudged of them.
  [[nodiscard]] const Trust& trust() const { return trust_; }

  // Values that the parameter has in some measured point, but for the point's own, in ascending order.
  [[nodiscard]] std::vector<NeighbourChange> changes_of(std::size_t point) const;
  // Whether the new value was measured together with each of the point's other values, and with each two of them where
  // at least 4 points should have all three by chance: a space whose constraints are not known has no room for others.
  [[nodiscard]] bool seen_together(const NeighbourChange& change) const;
  // The fastest fifth of the points, at least 5 and at most `most` of them, the fastest first. Where there are more,
  // they are drawn from it, the same ones each time.
  [[nodiscard]] std::vector<std::size_t> fastest(std::size_t most) const;
  [[nodiscard]] const MeasuredPoints& points() const { return points_; }
  // The point that a change leads to, if it was measured.
  [[nodiscard]] std::optional<std::size_t> measured_end(const NeighbourChange& change) const;

  static constexpr std::size_t kMostJudged = 300;

 private:
  class Index;

  [[nodiscard]] std::vector<JudgedChange> judge() const;

  MeasuredPoints points_;
  std::unique_ptr<Index> index_;
  Trust trust_;
};

}  // namespace tailwave
