#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/neighbours.h"
#include "report/trust.h"

namespace tailwave {

// A surface through the measured speeds of a problem, which says how fast a point should be that was not measured and
// how well that is known: a Gaussian process (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006,
// 2.2 and 5.4.2) of the logarithms of speeds, whose covariance falls by exp(-d / length) with the distance d of two
// values, their places among the parameter's values over how many there are. The lengths and the noise are those that
// predict each measured point best from the others. It needs no pair of points that differ in a single parameter, so
// that it knows something where few of many configurations were measured.
//
// Of more than kMostPoints points so many are taken, evenly over their order of speed, and the lengths are found by
// kMostSearched of them. Fewer than kFewestPoints are none.
class SpeedSurface {
 public:
  static constexpr std::size_t kFewestPoints = 20, kMostPoints = 400, kMostSearched = 160;

  // The points must outlive it.
  explicit SpeedSurface(const MeasuredPoints& points);
  explicit SpeedSurface(MeasuredPoints&& points) = delete;

  // From a measured point to one that was not; none where there is no surface.
  struct Prediction {
    double log_gain = 0;
    double margin = 0;  // log_gain over the standard error of the new point's speed
  };
  // `least`: a log gain; less is not worth the error, and none.
  [[nodiscard]] std::optional<Prediction> predict(const NeighbourChange& change, double least) const;

  // Judged by the changes of up to three parameters from one of the fastest fifth to another measured point,
  // predicted as if that had not been measured. A margin below 1.645, at which a normal error is wrong in 5 %, is
  // never believed.
  [[nodiscard]] const Trust& trust() const { return trust_; }
  [[nodiscard]] std::size_t size() const { return speeds_.size(); }

 private:
  using Row = std::vector<std::uint32_t>;
  struct Fit {
    double loss = 0, scale = 0;
    std::vector<double> inverse;    // of the Cholesky factor, by rows
    std::vector<double> weights;    // inverse covariance times speeds
    std::vector<double> precision;  // diagonal of the inverse covariance
  };

  [[nodiscard]] double covariance(const Row& one, const Row& other) const;
  [[nodiscard]] Fit fit(const std::vector<std::size_t>& chosen) const;
  void find_lengths();
  [[nodiscard]] std::vector<JudgedChange> judge() const;

  const MeasuredPoints& points_;
  std::vector<Row> rows_;  // fastest first
  std::vector<double> speeds_;
  double mean_ = 0, noise_ = 0.02;
  std::vector<double> decay_;  // of each parameter: 1 / length, for a place
  std::vector<double> places_;
  Fit fit_;
  Trust trust_;
};

}  // namespace tailwave
