#pragma once

#include <chrono>
#include <string>

#include "spec/experiment.h"
#include "tune/pipeline.h"

namespace tailwave {

// Progress on standard error: on a terminal one line that is rewritten, with a bar, ETA and best so far (by the
// experiment's metric); otherwise one plain line per finished configuration.
class TerminalProgress : public Progress {
 public:
  TerminalProgress(const Experiment& experiment, bool terminal);
  ~TerminalProgress() override;

  void started(std::size_t to_do, std::size_t reused, std::size_t left_out) override;
  void advanced(double share) override;
  void finished(const Trial& trial, std::size_t done, std::size_t to_do) override;

 private:
  void keep_if_best(const Trial& trial);
  void rewrite(const std::string& line);
  void clear();

  const Experiment& experiment_;
  bool terminal_;
  bool line_shown_ = false;
  double best_ = 0;  // the more the better
  std::string best_text_;
  std::chrono::steady_clock::time_point measuring_since_;
  std::chrono::steady_clock::time_point shown_at_;
};

// "10.4 us", "29.9 ms", "1.2 s".
std::string format_duration_ns(double nanoseconds);

}  // namespace tailwave
