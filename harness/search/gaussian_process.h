#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tailwave::search {

// A Gaussian process with a Matern kernel of order 5/2 and a length of its own for each column, of targets around 0
// with a variance of about 1 (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1). An
// observation more costs time proportional to the square of their number.
class GaussianProcess {
 public:
  // What is forecast for a row. Kept up to date with the process by update(), in time proportional to what is new.
  struct Forecast {
    double mean = 0, variance = 1;
    std::vector<float> solved;  // the kernel to each observation, solved by the Cholesky factor
  };

  // `noise`: the variance of the targets that no column explains.
  GaussianProcess(std::vector<float> lengths, double noise);

  void add(std::span<const float> row, double target);
  // The same rows with other targets; forecasts then need update_mean().
  void set_targets(std::span<const double> targets);
  void update_mean(Forecast& forecast) const;
  // Of the row added last; a forecast that has not taken it up yet stays right.
  void set_last_target(double target);
  void update(std::span<const float> row, Forecast& forecast) const;
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  // The logarithm of the targets' probability density.
  [[nodiscard]] double log_likelihood() const;

 private:
  [[nodiscard]] double kernel(const float* one, const float* other) const;
  [[nodiscard]] const float* factor(std::size_t row) const { return &factor_[row * (row + 1) / 2]; }

  std::vector<float> inverse_lengths_;
  double noise_;
  std::vector<float> rows_;
  std::vector<float> factor_;  // the Cholesky factor's rows, one after another
  std::vector<double> targets_, solved_;
};

// Each length in turn made twice or half as long where that makes the targets likelier. `rows` holds targets.size()
// rows of lengths.size() columns.
std::vector<float> likelier_lengths(std::span<const float> rows, std::span<const double> targets,
                                    std::vector<float> lengths, double noise);

}  // namespace tailwave::search
