#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/console.h"
#include "spec/experiment.h"
#include "tune/tuner.h"

namespace tailwave {

// Progress on standard error: on a terminal one line that is rewritten, as wide as that, with a bar, ETA and best so
// far (by the experiment's metric), of a search as a curve over what was measured; otherwise one plain line per finished configuration. Where the console is quiet,
// only failures have a line, unless the JSON that is asked for has them.
class TerminalProgress : public SearchProgress {
 public:
  TerminalProgress(const Experiment& experiment, const Console& console);
  ~TerminalProgress() override;

  void started(std::size_t to_do, std::size_t reused, std::size_t left_out) override;
  void search_started(const SearchStart& start) override;
  void shard_chosen(const Shard& shard, std::size_t own, std::size_t all) override;
  void advanced(double share) override;
  void finished(const Trial& trial, std::size_t done, std::size_t to_do) override;
  void regimes_started(std::size_t finalists, std::size_t regimes) override;

 private:
  void begin(const std::string& line);
  [[nodiscard]] bool competes(const Trial& trial) const;
  void keep_if_best(const Trial& trial);
  void warn_of_deadline(std::size_t left);
  void rewrite(const std::string& line);
  void clear();

  const Experiment& experiment_;
  const Console& console_;
  bool terminal_;
  bool line_shown_ = false;
  bool searching_ = false;  // or measuring its best again
  bool draws_curve_ = false;
  bool warned_of_deadline_ = false;
  double best_ = 0;  // the more the better
  std::string best_text_;
  std::vector<double> least_;  // of a search: the inverse of the best after each that competes and is correct
  std::chrono::steady_clock::time_point measuring_since_;
  std::chrono::steady_clock::time_point shown_at_;
};

// " with N 4096": the values of what the experiment's problems differ in; empty for one problem.
std::string problem_text(const Experiment& experiment, const SearchStart& start);

// "40 s", "3 min 20 s", "2 h 5 min".
std::string format_time_left(double seconds);

// "10.4 us", "29.9 ms", "1.2 s".
std::string format_duration_ns(double nanoseconds);

}  // namespace tailwave
